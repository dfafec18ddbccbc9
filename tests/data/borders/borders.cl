/* Rows read backwards, neighbours at the border of an image, and loops up to a part of a product. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void backwards(global const uint *in, global uint *out, uint n) {
  uint i = get_global_id(0);
  if (i < n)
    out[i] = in[n - 1 - i];
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void blurred(global const uint *in, global uint *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h)
    return;
  uint sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      sum += in[min(max(y + dy, 0), h - 1) * w + min(max(x + dx, 0), w - 1)];
  out[y * w + x] = sum;
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void unguarded(global uint *out, int w, int h) {
  int x = clamp((int)get_global_id(0) - 1, 0, w - 1), y = clamp((int)get_global_id(1) - 1, 0, h - 1);
  out[y * w + x] = 1;
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void cleared(global uint *out, uint first, uint last) {
  uint size = (last - first + 1) * 24576;
  for (uint i = first * 24576 / 4 + get_global_id(0); i < (first * 24576 + size) / 4; i += get_global_size(0))
    out[4 * i + 1] = 0;
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void counted(global const int *counts, global const int *in, global int *out, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  int sum = 0, count = counts[i];
  for (int k = 0; k < count; ++k)
    sum += in[k];
  out[i] = sum;
}
