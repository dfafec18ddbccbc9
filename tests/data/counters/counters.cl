kernel void grid_stride(global float *out, uint n) {
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = 1.0f;
}
kernel void product(global const float *a, global const float *b, global float *c, uint k, uint n) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x >= n) return;
  float sum = 0;
  for (uint i = 0; i < k; i++) sum += a[y * k + i] * b[i * n + x];
  c[y * n + x] = sum;
}
kernel void left_early(global float *out, int n, int m) {
  int x = get_global_id(0);
  for (int i = 0; i < n; i++) { if (out[i * m + x] > 7.0f) break; out[i * m + x] = 1.0f; }
}
kernel void wrapped(global float *out, uint n, uint last) {
  uint x = get_global_id(0);
  for (uint i = 5; i != last; i++) if (i < n) out[i - 5 + x] = 1.0f;
}
kernel void histogram(global const uchar *in, global int *bins, int n) {
  local int table[256];
  int l = get_local_id(0), i = get_global_id(0);
  for (int k = l; k < 256; k += get_local_size(0)) table[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) atomic_inc(&table[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = l; k < 256; k += get_local_size(0)) atomic_add(&bins[k], table[k]);
}
kernel void negative(global int *y, int n) {
  int i = get_global_id(0);
  if (i < n) { if (n > 0) y[n + i] = 1; else y[3 * i] = 2; }
}
kernel void walked(global float *out, global const float *c, uint n) {
  uint x = get_global_id(0);
  float sum = 0;
  for (uint i = 0; i < n; i++) sum += c[i] * (x >= i ? 2.0f : 3.0f);
  out[x] = sum;
}
kernel void long_stride(global char *base, long offset, long n) {
  global float *out = (global float *)(base + offset);
  int first = get_local_size(0) * get_group_id(0) + get_local_id(0), step = get_global_size(0);
  for (long i = first; i < n; i += step) out[i] = 1.0f;
}
kernel void blocks_of_rows(global float *out, int n, int size) {
  int first = size * get_group_id(0), end = min(first + size, n);
  for (int i = first + get_local_id(0); i < end; i += 256) out[i] = 1.0f;
}
