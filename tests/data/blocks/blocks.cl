// What a message or a guard keeps inside: blocks of matrices, and places that are read from memory.

__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(16, 1, 1)))
kernel void moved(global const ushort* in, global ushort* out, int w, int h, int x, int y) {
    int u = get_group_id(0) * 16, v = get_group_id(1) * 8;
    ushort part[8];
    intel_sub_group_2d_block_read_16b_8r16x1c((global void*)in, w * 2, h, w * 2, (int2)(u + x, v + y), part);
    intel_sub_group_2d_block_write_16b_8r16x1c(out, w * 2, h, w * 2, (int2)(u, v), part);
}

kernel void paged(global float* out, global const float* pages, global const int* table, int size, int count, int length,
                  int width) {
    int d = get_global_id(0), t = get_global_id(1);
    if (d < width && t < length) {
        int page = table[t / size];
        if (page >= 0 && page < count) out[t * width + d] = pages[(page * size + t % size) * width + d];
    }
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void filled(global uint* out, int w, int h, uint with) {
    uint part[8];
    for (int k = 0; k < 8; k++) part[k] = with * k;
    intel_sub_group_2d_block_write_32b_8r16x1c(out, w * 4, h, w * 4, (int2)(get_group_id(0) * 16, get_group_id(1) * 8), part);
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void filled_line(global uint* out, uint with) {
    intel_sub_group_block_write8(out + get_group_id(0) * 128, (uint8)(with) * (uint8)(0, 1, 2, 3, 4, 5, 6, 7));
}

kernel void binned(global uint* bins, global const uint* in, uint count, int n) {
    int i = get_global_id(0);
    if (i < n) atomic_inc(&bins[min(in[i], count - 1)]);
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void stacked(global ushort *in, global ushort *out, int w, int rows) {
    int x = get_group_id(0) * 16;
    int y = 0;
    do {
        ushort block[8];
        intel_sub_group_2d_block_read_16b_8r16x1c(in, w * 2, rows, w * 2, (int2)(x, y), block);
        intel_sub_group_2d_block_write_16b_8r16x1c(out, w * 2, rows, w * 2, (int2)(x, y), block);
        y += 8;
    } while (y < rows);
}
