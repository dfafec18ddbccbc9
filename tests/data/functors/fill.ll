; What SYCL makes of parallel_for(range, functor): each work item takes every so-manieth item of the range.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"

%class.range = type { i64 }
%class.functor = type { i64 addrspace(4)*, i64 }

declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func i64 @_Z15get_global_sizej(i32)

define spir_kernel void @fill(%class.range* byval(%class.range) align 8 %range, %class.functor* byval(%class.functor) align 8 %functor) {
entry:
  %n.at = getelementptr %class.range, %class.range* %range, i64 0, i32 0
  %n = load i64, i64* %n.at
  %out.at = getelementptr %class.functor, %class.functor* %functor, i64 0, i32 0
  %out = load i64 addrspace(4)*, i64 addrspace(4)** %out.at
  %value.at = getelementptr %class.functor, %class.functor* %functor, i64 0, i32 1
  %value = load i64, i64* %value.at
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %step = call spir_func i64 @_Z15get_global_sizej(i32 0)
  %starts = icmp ult i64 %id, %n
  br label %head

head:
  %i = phi i64 [ %id, %entry ], [ %following, %body ]
  %runs = phi i1 [ %starts, %entry ], [ %more, %body ]
  br i1 %runs, label %body, label %done

body:
  %at = getelementptr i64, i64 addrspace(4)* %out, i64 %i
  store i64 %value, i64 addrspace(4)* %at
  %next = add i64 %i, %step
  %more = icmp ult i64 %next, %n
  %following = select i1 %more, i64 %next, i64 %id
  br label %head

done:
  ret void
}
