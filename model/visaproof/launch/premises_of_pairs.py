"""Rows of the table of premises: what answers about two kernels rest on."""

from visaproof.launch.premise_rows import ALL, TWO_KERNELS, Grantor, PremiseRow

OF_PAIRS = (
    PremiseRow(
        "buffers-apart", "the surfaces {surfaces} share no byte",
        Grantor.USER, "--alias none; hosts may pass one buffer twice", TWO_KERNELS, "--alias may",
    ),
    PremiseRow(
        "disjoint", "{one} and {other} share no byte",
        Grantor.USER, "--where 'disjoint(A, B)'", TWO_KERNELS, "leave --where out",
    ),
    PremiseRow(
        "where", "{relation}, over the integers: nothing wraps",
        Grantor.USER, "--where RELATION", ALL, "leave --where out",
    ),
    PremiseRow(
        "either-order",
        "add and mul on floats give the same for their operands in the other order, and so does mad for its factors",
        Grantor.LANGUAGE, "IEEE 754 says it of numbers, and OpenCL C leaves open which NaN a result is", TWO_KERNELS,
        "--assume launch,-either-order",
    ),
    PremiseRow(
        "items-do-not-race",
        "what a work item writes through one argument, no other one accesses through another between two barriers",
        Grantor.LANGUAGE, "OpenCL C: a data race between work items is undefined", TWO_KERNELS,
    ),
    PremiseRow(
        "restrict", "a byte that is written, and reached through {argument}, is reached through it alone",
        Grantor.LANGUAGE, "C 6.7.3.1: the source declares the argument restrict", TWO_KERNELS,
    ),
    PremiseRow(
        "constant-unwritten", "nothing writes what {argument} shows while the kernels run",
        Grantor.LANGUAGE, "OpenCL C: the constant address space is read-only", TWO_KERNELS,
    ),
    PremiseRow(
        "kinds-apart", "{one} and {other} share no byte: they are not of one kind",
        Grantor.LANGUAGE, "OpenCL C: images and buffers are memory objects of their own, but for image1d_buffer_t, and "
        "a kernel does not get one image as read_only and as write_only", TWO_KERNELS,
    ),
    PremiseRow(
        "elements-aligned", "addresses and offsets of buffers in the payload are multiples of {align}",
        Grantor.HOST, "hosts may pass pointers into a buffer, which are multiples of the element's size", TWO_KERNELS,
    ),
    PremiseRow(
        "surfaces-4gib", "surfaces have at most 4 GiB",
        Grantor.DRIVER, "sizes of surfaces are 32-bit numbers", TWO_KERNELS,
    ),
    PremiseRow(
        "image-extents", "images have 1 to {texels} texels in x and y, and 1 to {layers} in z or layers",
        Grantor.DRIVER, "no device has larger ones, no API makes empty ones", ALL, "--assume launch,-image-extents",
    ),
    PremiseRow(
        "buffer-offsets",
        "a surface begins before its buffer by the buffer offset that the launch hands over, and where its buffer does "
        "where it hands over none",
        Grantor.DRIVER, "compute-runtime: pointer minus allocation, where the payload has a place for it", TWO_KERNELS,
    ),
    PremiseRow(
        "lsc-immediate", "an LSC offset of 32 bits and the immediate that is added to it are added modulo 2^32",
        Grantor.NOBODY, "reading lsc-immediate-wraps: the page names no width of the sum", TWO_KERNELS,
    ),
    PremiseRow(
        "target-inputs", "inputs that only the target gets may hold anything",
        Grantor.OPEN, "the answer holds whatever is there", TWO_KERNELS,
    ),
    PremiseRow(
        "undefined", "{kind} is {setting} ({what}): {effect}",
        Grantor.USER, "--undefined", TWO_KERNELS, "leave --undefined out",
    ),
    PremiseRow(
        "barriers-reached", "every thread of the group gets to the barriers that only the target has",
        Grantor.NOBODY, "the source has no such barrier", TWO_KERNELS,
    ),
    PremiseRow(
        "barriers-together", "where one thread of a group comes to a barrier of the source, all of them do",
        Grantor.LANGUAGE, "OpenCL C: a barrier that some work items of a group do not come to is undefined",
        TWO_KERNELS,
    ),
    PremiseRow(
        "others-write", "other threads may write, between any two messages, what this one reads or writes",
        Grantor.OPEN, "the answer holds whatever they do", TWO_KERNELS,
    ),
    PremiseRow(
        "atomics-alone", "no other thread reaches what the atomics of these reach{between}",
        Grantor.NOBODY, "others may use atomics on the same cell", TWO_KERNELS,
    ),
    PremiseRow(
        "no-data-race", "no other thread writes {what}{between}{but}",
        Grantor.LANGUAGE, "OpenCL C and C11: a data race is undefined", TWO_KERNELS,
    ),
    PremiseRow(
        "unwritten", "nobody writes what {surfaces} show while the kernel runs",
        Grantor.LANGUAGE, "OpenCL C: __constant memory, and images that are __read_only", TWO_KERNELS,
    ),
    PremiseRow(
        "atomics-relaxed",
        "where atomics are compared lane by lane or thread by thread, one alone orders no plain load: order comes from "
        "the fences beside it",
        Grantor.COMPILER, "IGC puts a fence before an atomic that releases and one after an atomic that acquires, and "
        "none beside relaxed ones; the pages name no order", TWO_KERNELS,
    ),
    PremiseRow(
        "lanes-interleaved", "other threads may come between the atomics of the lanes of one message",
        Grantor.NOBODY, "decision D30: the pages say that lanes are serialised, and nothing of other threads",
        TWO_KERNELS,
    ),
    PremiseRow(
        "atomics-unseen",
        "nobody sees in which order atomics of different work items come that bring nothing, between two fences",
        Grantor.LANGUAGE, "OpenCL C: relaxed atomics of two work items have no order, and a plain read beside them is "
        "a data race", TWO_KERNELS,
    ),
    PremiseRow(
        "fences-alike",
        "fences of two devices, or of old and new messages, order the same where both name the same memory",
        Grantor.COMPILER, "IGC emits them for the same source; no page compares them", TWO_KERNELS,
    ),
    PremiseRow(
        "groups-unordered",
        "in kernels without atomics no work item accesses what one of another group writes while both run",
        Grantor.LANGUAGE, "OpenCL C: a barrier and its fences are those of a group, and what nothing orders is a data "
        "race", TWO_KERNELS,
    ),
    PremiseRow(
        "caches-alike",
        "messages of two devices, or with and without cache options, are cached alike where none says uncached",
        Grantor.NOBODY, "defaults differ by device and by the state of the driver", TWO_KERNELS,
    ),
    PremiseRow(
        "functions-alike", "{functions} of equal operands give the same on {devices}",
        Grantor.NOBODY, "the pages say no more than how far a result may be from the function", TWO_KERNELS,
        "--assume launch,-functions-alike",
    ),
    PremiseRow(
        "quotient-by-zero", "an integer quotient or remainder by 0 may be any number in the source",
        Grantor.LANGUAGE, "OpenCL C 6.2: an integer divided by 0 is an unspecified value", TWO_KERNELS,
    ),
    PremiseRow(
        "threads-in-any-order",
        "a thread of which no lane is on is not launched; the others may run in any order, and at once",
        Grantor.DRIVER, "a group gets as many threads as its work items fill", TWO_KERNELS,
    ),
    PremiseRow(
        "thread-numbers", "the threads of a group are numbered in the order of their lanes",
        Grantor.DRIVER, "thread t runs the work items from SIMD·t on", TWO_KERNELS,
    ),
    PremiseRow(
        "threads-unlike", "each thread may find anything in {names}, whatever the others do",
        Grantor.OPEN, "the answer holds whatever is there", TWO_KERNELS,
    ),
)  # fmt: skip
