/* 2D blocks of all layouts: plain, transposed, VNNI, two blocks; a prefetch; the edges are zero */
void __attribute__((overloadable)) intel_sub_group_2d_block_read_transpose_32b_16r8x1c(global void *base, int w, int h, int pitch, int2 c, private uint *d);
void __attribute__((overloadable)) intel_sub_group_2d_block_read_transform_16b_16r16x1c(global void *base, int w, int h, int pitch, int2 c, private uint *d);
void __attribute__((overloadable)) intel_sub_group_2d_block_read_16b_8r16x2c(global void *base, int w, int h, int pitch, int2 c, private ushort *d);
void __attribute__((overloadable)) intel_sub_group_2d_block_prefetch_16b_8r16x2c(global void *base, int w, int h, int pitch, int2 c);
void __attribute__((overloadable)) intel_sub_group_2d_block_write_32b_8r16x1c(global void *base, int w, int h, int pitch, int2 c, private uint *s);
kernel __attribute__((intel_reqd_sub_group_size(16)))
void tile2d(global uint *src, global uint *dst, int width, int height, int pitch, int x, int y)
{
    int2 c = (int2)(x, y);
    uint t[8], v[8]; ushort h[16];
    intel_sub_group_2d_block_prefetch_16b_8r16x2c(src, width, height, pitch, c);
    intel_sub_group_2d_block_read_transpose_32b_16r8x1c(src, width, height, pitch, c, t);
    intel_sub_group_2d_block_read_transform_16b_16r16x1c(src, width, height, pitch, c, v);
    intel_sub_group_2d_block_read_16b_8r16x2c(src, width, height, pitch, c, h);
    uint l = get_sub_group_local_id();
    for (int k = 0; k < 8; k++) { dst[k * 16 + l] = t[k]; dst[128 + k * 16 + l] = v[k]; }
    for (int k = 0; k < 16; k++) dst[256 + k * 16 + l] = h[k];
    intel_sub_group_2d_block_write_32b_8r16x1c(dst + 512, 60, 7, 64, (int2)(1, 0), t);
}
