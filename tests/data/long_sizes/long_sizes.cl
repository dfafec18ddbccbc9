// Sizes and indices of 64 bits, as SYCL has them: compilers compare and multiply them in halves.
kernel void rows(global const float *x, global float *y, ulong w, ulong h) {
    size_t i = get_global_id(0), j = get_global_id(1);
    if (i < w && j < h) y[i*h+j] = x[j*w+i];
}
kernel void product(global const float *a, global const float *b, global float *c, ulong m, ulong n, ulong k) {
    size_t i = get_global_id(0), j = get_global_id(1);
    if (i >= n || j >= m) return;
    float s = 0;
    for (size_t p = 0; p < k; p++) s += a[j*k+p] * b[p*n+i];
    c[j*n+i] = s;
}
kernel void strided(global const float *x, global float *y, ulong n) {
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) y[i] = x[i] * 2.0f;
}
kernel void upper(global double *a, uchar down, ulong pitch, ulong n) {
    size_t i = get_global_id(1), j = get_global_id(0);
    if (i < n && j < n && j > i) {
        if (down) a[j*pitch+i] = a[i*pitch+j];
        else a[i*pitch+j] = a[j*pitch+i];
    }
}
