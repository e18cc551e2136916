#!/bin/sh
# Prints in one line what was measured on, and when: the processor, its instruction sets that kernels
# use, its cores, the date and the load. The tables and charts of the comparisons begin with it.
#
#   bench/describe_machine.sh
set -eu
field() {
    sed -n "s/^$1[^:]*: *//p" /proc/cpuinfo | head -1
}
# Only sets that a kernel of ours or of a peer has code for.
sets() {
    for set in amx_int8:AMX avx512f:AVX-512 avx512_vnni:VNNI avx512_bf16:BF16 avx_vnni:AVX-VNNI \
        avx2:AVX2 asimd:NEON asimddp:dotprod i8mm:i8mm sve:SVE; do
        case " $(field flags) $(field Features) " in
        *" ${set%%:*} "*) printf '%s, ' "${set#*:}" ;;
        esac
    done
}
name=$(field 'model name')
family=$(field 'cpu family')
echo "${name:-$(uname -m)}${family:+ (family $family, model $(field 'model'))}; $(sets)$(nproc) cores;" \
    "$(date +%Y-%m-%d); load $(cut -d' ' -f1-3 /proc/loadavg)${HALYARD_CPU_FEATURES:+;}" \
    "${HALYARD_CPU_FEATURES:+halyard-cpu limited to $HALYARD_CPU_FEATURES}" | sed 's/ *$//'
