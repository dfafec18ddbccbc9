/* Rows with a pitch, read backwards or at neighbours that are clamped to the image. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void turned(global const uint *in, global uint *out, int w, int h, int pitch) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h)
    out[(h - 1 - y) * pitch + x] = in[y * pitch + w - 1 - x];
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void neighbours(global const uint *in, global uint *out, int w, int h, int pitch, int r) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h)
    out[y * pitch + x] = in[max(y - r, 0) * pitch + min(x + 1, w - 1)];
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void beyond(global const uint *in, global uint *out, int w, int h, int pitch) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x <= w && y < h)
    out[y * pitch + min(x + 1, w)] = in[y * pitch + w - 1 - x];
}
