#!/bin/sh
# Both programs from end to end under AddressSanitizer and UBSan.
echo 1..2
check() { # N PROGRAM ARGUMENT...
    n=$1 program=$2
    shift 2
    if out=$("tangled/san/$program" "$@" 2>&1) && [ -n "$out" ]; then
        echo "ok $n - $program is clean"
    else
        echo "not ok $n - $program is clean"
        printf '%s\n' "$out" | tail -n 20 | sed 's/^/# /'
    fi
}
check 1 circuits_part2_toy
check 2 circuits_part2 --model models/mini
