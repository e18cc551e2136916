#include "tests/fuzz/fuzz.h"

#include "tests/unit/plugins/service/wire/kit/fuzzed_frames.h"

/* What a hostile app says to a service. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return hy_wire_fuzz_frame(data, size, CLIENT);
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    return hy_wire_fuzz_seed(index, length, CLIENT);
}
