// Kernels whose rows have to be as long as their arguments and their launch say.
kernel void volume(global float *out, int pitch, int slice) {
    out[get_global_id(2) * slice + get_global_id(1) * pitch + get_global_id(0)] = 1.0f;
}

kernel void padded(global float *out, int n, int pad) {
    out[(get_global_id(1) + pad) * (n + 2 * pad) + get_global_id(0) + pad] = 1.0f;
}

kernel void tile(global float *out, global const float *in, int pitch, local float *t) {
    int x = get_local_id(0), y = get_local_id(1), w = get_local_size(0), i = get_global_id(1) * pitch + get_global_id(0);
    t[y * w + x] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[y * w + (w - 1 - x)];
}

kernel void eight(global int *out) {
    out[get_local_id(1) * 8 + get_local_id(0)] = 1;
}

kernel void backwards(global float2 *out, int n, uint step) {
    int i = n - 1 - get_global_id(0) * step;
    out[i] = 1.0f;
}

kernel void layers(global float *out, int w, int h) {
    out[(get_global_id(2) * h + get_global_id(1)) * w + get_global_id(0)] = 1.0f;
}

// Work items that differ in y alone write at one place, however long the rows are.
__attribute__((reqd_work_group_size(8, 4, 1))) kernel void one_row(global float *out, int pitch) {
    out[get_global_id(0) * pitch] = get_local_id(1);
}
