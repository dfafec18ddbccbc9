// Groups of tiles: what is read through shared local memory is guarded by sums of a group and another id, or of a counter.

#define T 16

__attribute__((reqd_work_group_size(T, T, 1))) kernel void transposed(global const float* in, global float* out, int w, int h) {
    local float tile[T][T + 1];
    int x = get_group_id(0) * T + get_local_id(0), y = get_group_id(1) * T + get_local_id(1);
    if (x < w && y < h) tile[get_local_id(1)][get_local_id(0)] = in[y * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int u = get_group_id(1) * T + get_local_id(0), v = get_group_id(0) * T + get_local_id(1);
    if (u < h && v < w) out[v * h + u] = tile[get_local_id(0)][get_local_id(1)];
}

__attribute__((reqd_work_group_size(T, T, 1))) kernel void half_guarded(global float* out, int w, int h) {
    int u = get_group_id(1) * T + get_local_id(0), v = get_group_id(0) * T + get_local_id(1);
    if (u < h) out[v * h + u] = 1.0f;
}

__attribute__((reqd_work_group_size(T, T, 1)))
kernel void product(global const float* a, global const float* b, global float* c, int m, int n, int k) {
    local float ta[T][T], tb[T][T];
    int r = get_global_id(1), q = get_global_id(0), lr = get_local_id(1), lq = get_local_id(0);
    float s = 0;
    for (int t = 0; t < (k + T - 1) / T; t++) {
        ta[lr][lq] = (r < m && t * T + lq < k) ? a[r * k + t * T + lq] : 0;
        tb[lr][lq] = (q < n && t * T + lr < k) ? b[(t * T + lr) * n + q] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < T; i++) s += ta[lr][i] * tb[i][lq];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (r < m && q < n) c[r * n + q] = s;
}
