// Kernels with 64-bit addresses; indices of 64 bits are multiplied 32 bits at a time.
kernel void triples(global float *out, const global float *in, uint n) {
    size_t i = get_global_id(0);
    if (i < n)
        out[i] = in[3 * i] + in[3 * i + 2];
}

kernel void beyond(global float *out, const global float *in, uint n) {
    size_t i = get_global_id(0);
    if (i < n)
        out[i] = in[3 * i + 3];
}

kernel void sums(global float *out, const global float *in, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i];
    out[get_global_id(0)] = sum;
}

kernel void masked(global int *keep, const global float *score, const global float *least, int n, int batch) {
    size_t i = get_global_id(0), b = get_global_id(1);
    if (b < batch && i < n)
        keep[b * n + i] = score[b * n + i] >= least[b];
}
