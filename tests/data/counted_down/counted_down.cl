kernel void reversed(global const float *a, global float *o, int n) { float s = 0; for (int j = n - 1; j >= 0; j--) s = s * 0.5f + a[j]; o[get_global_id(0)] = s; }
kernel void suffix(global const float *a, global float *o, int n) { int i = get_global_id(0); if (i >= n) return; float s = 0; for (int j = i; j >= 0; j--) s = s * 0.5f + a[j]; o[i] = s; }
kernel void upwards(global const float *a, global float *o, int h) { int x = get_global_id(0), w = get_global_size(0); float s = 0; for (int y = h - 1; y >= 0; y--) { s = s * 0.5f + a[y * w + x]; o[y * w + x] = s; } }
kernel void unsigned_down(global const float *a, global float *o, uint n) { float s = 0; for (uint j = n; j-- > 0;) s = s * 0.5f + a[j]; o[get_global_id(0)] = s; }
kernel void fours(global const float *a, global float *o, int n) { float s = 0; for (int k = 0; k + 3 < n; k += 4) s += a[k] * a[k + 1] + a[k + 2] * a[k + 3]; o[get_global_id(0)] = s; }
kernel void neighbours(global const float *a, global float *o, int n) { int i = get_global_id(0), at = clamp(i - 3, 0, n - 2); o[i] = a[at] + a[at + 1]; }
kernel void tile(global const float *a, global float *o, int extent, int stride, int first, int begin) { int x = get_global_id(0), y = min((int)get_group_id(1) * 8, extent - 8) + (int)get_local_id(1); o[y * stride + x] = a[y * stride + x + first - begin]; }
kernel void left_wing(global const float *a, global float *o, int r) { int l = get_local_id(0), g = get_global_id(0); if (l + 1 <= r) o[r - 1 - l] = a[g]; if (l >= r) o[l - r] = a[g]; }
kernel void before(global const float *a, global float *o, int first, int begin) { int x = get_global_id(0); o[x] = a[first - begin - x]; }
