// The pointers are restrict: b[i] is read once.
__attribute__((intel_reqd_sub_group_size(8)))
kernel void reload(global uint *restrict a, global const uint *restrict b, global uint *restrict c)
{
    uint i = get_global_id(0);
    a[i] = b[i] + 1;
    c[i] = b[i] * 3;
}
