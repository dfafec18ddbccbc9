// Kernels that write rows behind guards.
kernel void inside(global float *out, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        out[y * w + x] = 1.0f;
}

kernel void pitched(global float *out, uint w, uint h, uint pitch) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        out[y * pitch + x] = 1.0f;
}

kernel void interior(global float *out, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= 1 && y >= 1 && x < w - 1 && y < h - 1)
        out[y * w + x] = 1.0f;
}

kernel void rows_alone(global float *out, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (y < h)
        out[y * w + x] = 1.0f;
}

kernel void twice(global float *out, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 2 * w && y < h)
        out[y * w + x] = 1.0f;
}

kernel void shifted(global float *out, int w, int h, int left) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x - left < w && y < h)
        out[y * w + x] = 1.0f;
}

kernel void halves(global float *out, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w / 2 && y < h)
        out[y * (w / 2) + x] = 1.0f;
}

kernel void first_halves(global float *out, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w / 2 && y < h)
        out[y * w + x] = 1.0f;
}

kernel void loaded(global float *out, global const uint *sizes) {
    uint x = get_global_id(0), y = get_global_id(1), w = sizes[0];
    if (x < w && y < sizes[1])
        out[y * w + x] = 1.0f;
}

kernel void quarters(global float *out, uint w, uint h) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < w / 2 && y < h)
        out[y * (w / 4) + x] = 1.0f;
}
