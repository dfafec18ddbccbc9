// Work item i writes the sum of two neighbours.
__attribute__((intel_reqd_sub_group_size(8)))
kernel void pairs(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i / 2] = in[i] + in[i + 1];
}
