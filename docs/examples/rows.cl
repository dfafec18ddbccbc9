// Fills a picture whose rows are pitch elements apart.
__attribute__((intel_reqd_sub_group_size(8)))
kernel void rows(global uint *out, uint pitch)
{
    uint x = get_global_id(0), y = get_global_id(1);
    out[y * pitch + x] = x ^ y;
}
