// The mean of two buffers, rounded down, without 64 bits.
__attribute__((intel_reqd_sub_group_size(8)))
kernel void mean(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = (a[i] & b[i]) + ((a[i] ^ b[i]) >> 1);
}
