// Kernels that write images at sums of ids and arguments.
kernel void filled(write_only image2d_t out) {
  write_imagef(out, (int2)(get_global_id(0), get_global_id(1)), (float4)(1.0f));
}

kernel void guarded(write_only image2d_t out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h)
    write_imagef(out, (int2)(x, y), (float4)(1.0f));
}

kernel void shifted(write_only image2d_t out, int dx) {
  write_imagef(out, (int2)((int)get_global_id(0) + dx, 3), (float4)(1.0f));
}

kernel void layered(write_only image2d_array_t out) {
  write_imagef(out, (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0), (float4)(1.0f));
}

kernel void swapped(read_write image2d_t img, int w) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 a = read_imagef(img, (int2)(x, y));
  write_imagef(img, (int2)(2 * w - 1 - x, y), a);
}
