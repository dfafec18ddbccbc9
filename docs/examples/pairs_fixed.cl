// Work item i writes the sum of the pair 2i and 2i + 1.
__attribute__((intel_reqd_sub_group_size(8)))
kernel void pairs(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = in[2 * i] + in[2 * i + 1];
}
