// Sizes that follow from halves of arguments, from counters that loops halve, and from guards of neighbours.
kernel void pooled(global const float *x, global float *y, int w, int h) {
    int i = get_global_id(0), j = get_global_id(1);
    if (i < w / 2 && j < h / 2)
        y[j * (w / 2) + i] = x[2 * j * w + 2 * i] + x[(2 * j + 1) * w + 2 * i];
}

kernel void summed(global const int *in, global int *out) {
    local int t[256];
    uint l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s /= 2) {
        if (l < s) t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = t[0];
}

kernel void summed_signed(global int *x, int n) {
    int i = get_global_id(0);
    for (int h = n / 2; h > 0; h /= 2)
        if (i < h) x[i] += x[i + h];
}

kernel void doubled(global int *x, uint n) {
    uint i = get_global_id(0);
    for (uint s = 1; s < n; s *= 2)
        if (i < s) x[i + s] = x[i];
}

kernel void neighbours(global const float *x, global float *y, int w, int h) {
    int i = get_global_id(0), j = get_global_id(1);
    if (i >= w || j >= h) return;
    float s = 0;
    if (i - 1 >= 0 && j - 1 >= 0) s += x[(j - 1) * w + i - 1];
    if (i + 1 < w && j + 1 < h) s += x[(j + 1) * w + i + 1];
    y[j * w + i] = s;
}

kernel void far_neighbours(global const float *x, global float *y, int n) {
    int i = get_global_id(0);
    if (i + 3 < n) y[i] = x[i + 3];
}

kernel void layers(global const float *x, global float *y, int w, int h, int d) {
    int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
    if (i >= w || j >= h || k >= d) return;
    if (j + 1 < h) y[(k * h + j) * w + i] = x[(k * h + j + 1) * w + i];
}

kernel void stencil(global const float *x, global float *y, int w, int h, int d) {
    int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
    if (i < 1 || j < 1 || k < 1 || i >= w - 1 || j >= h - 1 || k >= d - 1) return;
    int at = (k * h + j) * w + i;
    y[at] = x[at - w] + x[at + w * h];
}

kernel void far_layers(global const float *x, global float *y, int w, int h, int d) {
    int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
    if (i >= w || j >= h || k >= d) return;
    if (j + 3 < h) y[(k * h + j) * w + i] = x[(k * h + j + 3) * w + i];
}
