// Reads b[i] twice, with a store in between.
__attribute__((intel_reqd_sub_group_size(8)))
kernel void reload(global uint *a, global const uint *b, global uint *c)
{
    uint i = get_global_id(0);
    a[i] = b[i] + 1;
    c[i] = b[i] * 3;
}
