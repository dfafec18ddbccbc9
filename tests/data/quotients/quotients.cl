// Kernels that take a number apart by quotients and remainders, and write where its parts say.
kernel void transposed(global float *out, global const float *in, int w, int h) {
    int i = get_global_id(0);
    if (i < w * h) {
        int x = i % w, y = i / w;
        out[x * h + y] = in[y * w + x];
    }
}

kernel void channels(global float *out, global const float *in, uint planes, uint rows, uint width, uint images) {
    uint i = get_global_id(0);
    if (i >= images * planes * rows * width)
        return;
    uint x = i % width, y = i / width % rows, p = i / (width * rows) % planes, n = i / (width * rows * planes);
    out[((n * rows + y) * width + x) * planes + p] = in[i];
}

kernel void pitched(global float *out, uint w, uint pitch, uint n) {
    uint i = get_global_id(0);
    if (i < n)
        out[i / w + i % w * pitch] = 1.0f;
}

kernel void blocks(global float *out, uint pitch) {
    uint i = get_local_id(0);
    out[i / 8 * pitch + i % 8] = 1.0f;
}

kernel void columns(global float *out, int w, int h) {
    int i = get_global_id(0);
    if (i < w * h)
        out[i % w * h] = 1.0f;
}
