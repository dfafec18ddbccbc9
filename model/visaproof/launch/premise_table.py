"""The table of premises: what answers may rest on, and who grants it."""

from collections.abc import Mapping

from visaproof.launch.premise_rows import Grantor, PremiseRow


def _rows(*rows: PremiseRow) -> Mapping[str, PremiseRow]:
    found = {row.name: row for row in rows}
    assert len(found) == len(rows)
    return found


_ONE_KERNEL = "conflicts", "bounds"
_TWO_KERNELS = "refine", "tv"
_ALL = *_ONE_KERNEL, *_TWO_KERNELS
_IEEE = "--float uninterpreted"
_ZEBINS = "--launch FILE --launch-target FILE"
"""With a zebin each."""

PREMISES = _rows(
    PremiseRow(
        "ids",
        "the {simd} lanes of a thread have consecutive local_id_x, the first a multiple of {simd}, and equal "
        "local_id_y and local_id_z (as IGC lays them out where the local size in x is a multiple of {simd}, or "
        "y = z = 1)",
        Grantor.DRIVER, "the payload of IGC's kernels", _ALL, "--assume none",
    ),
    PremiseRow(
        "width", "the {simd} lanes of this text are launched, and not the {stated} of the launch information",
        Grantor.NOBODY, "the compiler dumps each width that it tries, and keeps one", _ALL,
    ),
    PremiseRow(
        "ids-below-size",
        "local sizes are at most {most}, and the local ids of lanes that are on are less than they are",
        Grantor.LANGUAGE, "OpenCL C: get_local_id is below get_local_size", _ALL, "--assume ids,-ids-below-size",
    ),
    PremiseRow(
        "local-ids",
        "the lanes of a thread run consecutive work items of their group, of which the ids are {layout}; those of "
        "lanes that are off go on likewise",
        Grantor.DRIVER, "compute-runtime 26.31: isRuntimeLocalIdsGenerationRequired, generateLocalIDs", _ALL,
        "--assume launch,-local-ids",
    ),
    PremiseRow(
        "local-size",
        "a group has at most {most} work items; the local size is at least 1, and local ids are below it",
        Grantor.DRIVER, "CL_DEVICE_MAX_WORK_GROUP_SIZE of Intel's devices", _ALL, "--assume launch,-local-size",
    ),
    PremiseRow(
        "rows", "local ids are laid out in rows, as Level Zero does, and not in tiles, which differ between widths",
        Grantor.HOST, "the OpenCL driver lays out tiles for kernels with images and no buffers", _TWO_KERNELS,
        "--host opencl",
    ),
    PremiseRow(
        "whole-groups", "every group has the local size {size}, the last one, too",
        Grantor.HOST, "OpenCL 2.0 allows smaller last groups without -cl-uniform-work-group-size", _ALL,
        "--assume launch,-whole-groups",
    ),
    PremiseRow(
        "unread-dimensions", "the local size is 1 in {dimensions}, of which the kernel reads no local id",
        Grantor.HOST, "hosts launch as many dimensions as kernels have", _ALL, "--assume launch,-unread-dimensions",
    ),
    PremiseRow(
        "global-ids",
        "the global offset is 0, global ids are below the global size, and a launch has at most 2^32 work items",
        Grantor.HOST, "hosts rarely set an offset, or launch more work items", _ALL, "--assume launch,-global-ids",
    ),
    PremiseRow(
        "all-lanes", "a thread of the VectorCompiler is one work item, and starts with all lanes on",
        Grantor.COMPILER, "its SIMD instructions are no work items", _ALL, "--assume launch,-all-lanes",
    ),
    PremiseRow(
        "bounded",
        "integer scalars passed by value and local sizes lie in 1..{most}, global id offsets are 0, and group ids are "
        "less than {groups}",
        Grantor.USER, "--assume bounded", _ALL, "--assume ids",
    ),
    PremiseRow(
        "first-lanes",
        "the enabled lanes of a thread are its first ones, as where a group does not fill its last thread",
        Grantor.DRIVER, "local ids are numbered without gaps", _ALL, "--assume launch,-first-lanes",
    ),
    PremiseRow(
        "private-apart", "private memory shares no byte with other memory, and the kernel stays inside it",
        Grantor.DRIVER, "private memory is an allocation of its own; that kernels stay inside is the language's rule",
        _ALL,
    ),
    PremiseRow(
        "private-aligned", "private memory begins at a multiple of {alignment}",
        Grantor.DRIVER, "allocations begin at pages", _TWO_KERNELS,
    ),
    PremiseRow(
        "private-slots",
        "the slot of hardware thread h has {size} bytes and begins {size}·h bytes behind the first; h is less than "
        "2^{bits}",
        Grantor.DRIVER, "private memory is divided by hardware threads; 2 GiB at most", _ALL,
    ),
    PremiseRow(
        "private-2gib", "private memory of all hardware threads has at most 2 GiB: {thread} < 2^{bits}",
        Grantor.DRIVER, "private memory is divided by hardware threads; 2 GiB at most", _ALL,
    ),
    PremiseRow(
        "private-sizes",
        "a thread has {source} bytes of private memory in the source, {target} in the target, and each stays inside",
        Grantor.COMPILER, "the zeinfo's per_thread_memory_buffers; bounds asks whether a kernel stays inside",
        _TWO_KERNELS,
    ),
    PremiseRow(
        "scratch-size", "a thread has {size} bytes of private memory in {surface}, from 0 on, as the kernel says",
        Grantor.DRIVER, "the attributes of the kernel", ("bounds",),
    ),
    PremiseRow(
        "slm-size", "a group has {size} bytes of shared local memory, as the launch says",
        Grantor.DRIVER, "the zeinfo's slm_size or the kernel's SLMSize, which the driver rounds up",
        ("bounds", *_TWO_KERNELS),
    ),
    PremiseRow(
        "slm-sizes", "a group has {source} bytes of shared local memory in the source, and {target} in the target",
        Grantor.DRIVER, "the zeinfo's slm_size or the kernel's SLMSize, which the driver rounds up", _TWO_KERNELS,
    ),
    PremiseRow(
        "slm-limit", "a group has at most {most} bytes of shared local memory",
        Grantor.DRIVER, "no device has more for a group", _TWO_KERNELS, "--launch FILE",
    ),
    PremiseRow(
        "slm-alike", "a group of the target has as much shared local memory as one of the source",
        Grantor.USER, "a zebin of each program says it", _TWO_KERNELS, _ZEBINS,
    ),
    PremiseRow(
        "samplers-alike", "the samplers {numbers} read alike in both programs",
        Grantor.USER, "a zebin of each program says it", _TWO_KERNELS, _ZEBINS,
    ),
    PremiseRow(
        "launched-alike",
        "both kernels are launched alike: in groups of the same sizes, with the same at the same places of the payload "
        "and of the binding table, tables of constants too",
        Grantor.USER, "a zebin of each program says it", _TWO_KERNELS, _ZEBINS,
    ),
    PremiseRow(
        "groups-fit",
        "groups that run with {source} registers a thread run with {target} of the target, too",
        Grantor.HOST, "a device has fewer threads where each has more registers, and refuses larger groups",
        _TWO_KERNELS,
    ),
    PremiseRow(
        "slm-tag", "bit 28, which IGC sets in addresses of shared local memory, is no part of them",
        Grantor.COMPILER, "the addresses in both corpora", ("bounds",),
    ),
    PremiseRow("stated-size", "{what} has {size} bytes", Grantor.USER, "--size", ("bounds",), "leave --size out"),
    PremiseRow(
        "stated-offset", "the {offset} is 0",
        Grantor.USER, "the surface of an argument with a stated size begins where its buffer does", ("bounds",),
        "leave --size out",
    ),
    PremiseRow(
        "global-size",
        "{size} work items, so that group id · local size + local id is less for every enabled lane; the global offset "
        "is 0",
        Grantor.USER, "--global-size", ("bounds",), "leave --global-size out",
    ),
    PremiseRow(
        "align", "addresses and offsets of buffers in the payload are multiples of {align}",
        Grantor.HOST, "hosts may pass pointers into a buffer, which are multiples of the element's size",
        ("bounds", *_TWO_KERNELS), "--align 1",
    ),
    PremiseRow(
        "buffers-end", "a buffer begins at the address that the launch hands over, and ends below 2^64",
        Grantor.DRIVER, "addresses of allocations", ("bounds",),
    ),
    PremiseRow(
        "same-size", "the surface of an argument is as large as its buffer",
        Grantor.DRIVER, "surfaces are set to the size of the buffer, rounded up to 4 bytes", ("bounds",),
    ),
    PremiseRow(
        "buffers-below", "buffers at 64-bit addresses have fewer than 2^{bits} - 1 bytes",
        Grantor.DRIVER, "allocations are smaller", ("bounds",),
    ),
    PremiseRow(
        "counters",
        "while a message increments (or decrements) one cell for several lanes, others do so too less than {times} "
        "times, and write it in no other way",
        Grantor.NOBODY, "decision D30: no page says that others do not come between the lanes of one message",
        ("conflicts",),
    ),
    PremiseRow(
        "constants-open", "what {table} holds is arbitrary ({reason})",
        Grantor.OPEN, "the answer holds whatever is there", _ALL,
    ),
    PremiseRow(
        "constants-equal", "{table} holds the same in both programs",
        Grantor.USER, "a zebin of each program says it", _TWO_KERNELS, _ZEBINS,
    ),
    PremiseRow(
        "float-ieee",
        "add, mul, mad (rounded once), min, max, cmp, rnd*, frc, lrp, mov and sel on floats give what IEEE 754 says",
        Grantor.USER, "--float ieee", _ALL, _IEEE,
    ),
    PremiseRow(
        "float-mode", "%cr0 rounds to nearest even and is in IEEE mode when the kernel starts",
        Grantor.DRIVER, "the state that kernels start in", _ALL, _IEEE,
    ),
    PremiseRow(
        "one-nan", "every operation of a type that gives NaN gives the same quiet NaN, which may be any",
        Grantor.NOBODY, "no page says which NaN", _ALL, _IEEE,
    ),
    PremiseRow(
        "float-functions", "a result on floats depends on the operands, their types and %cr0 alone",
        Grantor.PAGE, "the pages of float operations", _TWO_KERNELS,
    ),
    PremiseRow(
        "sampler-function",
        "a read through the sampler depends on the image, the sampler and the coordinates alone",
        Grantor.PAGE, "the pages of sampler messages", _TWO_KERNELS,
    ),
    PremiseRow(
        "buffers-apart", "the surfaces {surfaces} share no byte",
        Grantor.USER, "--alias none; hosts may pass one buffer twice", _TWO_KERNELS, "--alias may",
    ),
    PremiseRow(
        "disjoint", "{one} and {other} share no byte",
        Grantor.USER, "--where 'disjoint(A, B)'", _TWO_KERNELS, "leave --where out",
    ),
    PremiseRow(
        "where", "{relation}, over the integers: nothing wraps",
        Grantor.USER, "--where RELATION", _ALL, "leave --where out",
    ),
    PremiseRow(
        "items-do-not-race",
        "what a work item writes through one argument, no other one accesses through another between two barriers",
        Grantor.LANGUAGE, "OpenCL C: a data race between work items is undefined", _TWO_KERNELS,
    ),
    PremiseRow(
        "restrict", "a byte that is written, and reached through {argument}, is reached through it alone",
        Grantor.LANGUAGE, "C 6.7.3.1: the source declares the argument restrict", _TWO_KERNELS,
    ),
    PremiseRow(
        "constant-unwritten", "nothing writes what {argument} shows while the kernels run",
        Grantor.LANGUAGE, "OpenCL C: the constant address space is read-only", _TWO_KERNELS,
    ),
    PremiseRow(
        "kinds-apart", "{one} and {other} share no byte: they are not of one kind",
        Grantor.LANGUAGE, "OpenCL C: images and buffers are memory objects of their own, but for image1d_buffer_t, and "
        "a kernel does not get one image as read_only and as write_only", _TWO_KERNELS,
    ),
    PremiseRow(
        "surfaces-4gib", "surfaces have at most 4 GiB",
        Grantor.DRIVER, "sizes of surfaces are 32-bit numbers", _TWO_KERNELS,
    ),
    PremiseRow(
        "image-extents", "images have 1 to {texels} texels in x and y, and 1 to {layers} in z or layers",
        Grantor.DRIVER, "no device has larger ones, no API makes empty ones", _ALL, "--assume launch,-image-extents",
    ),
    PremiseRow(
        "buffer-offsets",
        "a surface begins before its buffer by the buffer offset that the launch hands over, and where its buffer does "
        "where it hands over none",
        Grantor.DRIVER, "compute-runtime: pointer minus allocation, where the payload has a place for it", _TWO_KERNELS,
    ),
    PremiseRow(
        "lsc-immediate", "an LSC offset of 32 bits and the immediate that is added to it are added modulo 2^32",
        Grantor.NOBODY, "reading lsc-immediate-wraps: the page names no width of the sum", _TWO_KERNELS,
    ),
    PremiseRow(
        "target-inputs", "inputs that only the target gets may hold anything",
        Grantor.OPEN, "the answer holds whatever is there", _TWO_KERNELS,
    ),
    PremiseRow(
        "lanes-on",
        "{which} on, as else the source may leave buffers of at most 2 GiB: its address is an uninitialised value",
        Grantor.NOBODY, "a launch may leave them off", _TWO_KERNELS,
    ),
    PremiseRow(
        "undefined", "{kind} is {setting} ({what}): {effect}",
        Grantor.USER, "--undefined", _TWO_KERNELS, "leave --undefined out",
    ),
    PremiseRow(
        "barriers-reached", "every thread of the group gets to the barriers that only the target has",
        Grantor.NOBODY, "the source has no such barrier", _TWO_KERNELS,
    ),
    PremiseRow(
        "others-write", "other threads may write, between any two messages, what this one reads or writes",
        Grantor.OPEN, "the answer holds whatever they do", _TWO_KERNELS,
    ),
    PremiseRow(
        "atomics-alone", "no other thread reaches what the atomics of these reach{between}",
        Grantor.NOBODY, "others may use atomics on the same cell", _TWO_KERNELS,
    ),
    PremiseRow(
        "no-data-race", "no other thread writes {what}{between}{but}",
        Grantor.LANGUAGE, "OpenCL C and C11: a data race is undefined", _TWO_KERNELS,
    ),
    PremiseRow(
        "unwritten", "nobody writes what {surfaces} show while the kernel runs",
        Grantor.LANGUAGE, "OpenCL C: __constant memory, and images that are __read_only", _TWO_KERNELS,
    ),
    PremiseRow(
        "atomics-relaxed",
        "where atomics are compared lane by lane or thread by thread, one alone orders no plain load: order comes from "
        "the fences beside it",
        Grantor.COMPILER, "IGC puts a fence before an atomic that releases and one after an atomic that acquires, and "
        "none beside relaxed ones; the pages name no order", _TWO_KERNELS,
    ),
    PremiseRow(
        "lanes-interleaved", "other threads may come between the atomics of the lanes of one message",
        Grantor.NOBODY, "decision D30: the pages say that lanes are serialised, and nothing of other threads",
        _TWO_KERNELS,
    ),
    PremiseRow(
        "fences-alike",
        "fences of two devices, or of old and new messages, order the same where both name the same memory",
        Grantor.COMPILER, "IGC emits them for the same source; no page compares them", _TWO_KERNELS,
    ),
    PremiseRow(
        "caches-alike",
        "messages of two devices, or with and without cache options, are cached alike where none says uncached",
        Grantor.NOBODY, "defaults differ by device and by the state of the driver", _TWO_KERNELS,
    ),
    PremiseRow(
        "threads-in-any-order",
        "a thread of which no lane is on is not launched; the others may run in any order, and at once",
        Grantor.DRIVER, "a group gets as many threads as its work items fill", _TWO_KERNELS,
    ),
    PremiseRow(
        "thread-numbers", "the threads of a group are numbered in the order of their lanes",
        Grantor.DRIVER, "thread t runs the work items from SIMD·t on", _TWO_KERNELS,
    ),
    PremiseRow(
        "beyond-unseen",
        "nothing that is seen depends on {what}, which is undefined to read: buffers, branches and addresses are the "
        "same under the {choices} choices tried of it",
        Grantor.NOBODY, "that {choices} choices agree is no proof that all do", ("run",),
    ),
    PremiseRow(
        "threads-unlike", "each thread may find anything in {names}, whatever the others do",
        Grantor.OPEN, "the answer holds whatever is there", _TWO_KERNELS,
    ),
)  # fmt: skip
"""Every premise, by its name."""
