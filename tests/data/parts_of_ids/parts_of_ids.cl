// Kernels that take their ids apart by numbers, as those do that read blocks of 16 features.
kernel void joined(global float *out, global const float *in) {
    uint f = get_global_id(0);
    out[f] = in[f % 16 + 16 * (f / 16)];
}
kernel void blocks(global float *out) {
    uint x = get_global_id(0), f = get_global_id(1);
    out[f % 16 + 16 * (x % 5 + 5 * (f / 16))] = 1.0f;
}
kernel void thirds(global float *out) {
    uint i = get_global_id(0);
    out[i % 9 / 3 + 3 * (i % 3) + 9 * (i / 9)] = 1.0f;
}
kernel void sevenths(global float *out, global const float *in, uint n) {
    uint i = get_global_id(0);
    if (i < n)
        out[i / 7] = in[i % 7];
}
kernel void sevens(global float *out, uint w) {
    uint i = get_global_id(0);
    if (i < 7 * w)
        out[i % 7 * w + i / 7] = 1.0f;
}
kernel void signed_sevenths(global float *out, global const float *in, int n) {
    int i = get_global_id(0);
    if (i < n)
        out[i / 7] = in[i % 7];
}
kernel void signed_rows(global float *out, int w) {
    int i = get_global_id(0);
    if (i < 3 * w)
        out[i % 3 * w + i / 3] = 1.0f;
}
kernel void signed_eighths(global float *out, int w) {
    int i = get_global_id(0);
    if (i < 8 * w)
        out[i % 8 * w + i / 8] = 1.0f;
}
