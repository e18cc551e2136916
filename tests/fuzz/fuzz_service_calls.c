/*
 * A hostile app: plays a script (session_script.h) against the real server with a real driver, all
 * in this process. Whatever the script says, the server comes to
 * its end when the app hangs up, and leaves no descriptor behind.
 */
#include "tests/fuzz/fuzz.h"

#include "plugins/service/wire/transport/frame.h"
#include "tests/fuzz/session/session_play.h"
#include "tests/fuzz/session/session_script.h"
#include "tests/fuzz/session/session_server.h"

#include <stdio.h>
#include <stdlib.h>

static _Noreturn void complain(const char *what)
{
    fprintf(stderr, "fuzz_service_calls: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_open; /* the driver, which keeps descriptors of its own */
    int ends[2];

    const int before = session_free_fd();
    if (hy_socket_pair(ends, NULL) != HY_OK)
        complain("no control socket");
    session_server_start(ends[1]);
    session_play(ends[0], NULL, data, size, NULL);
    session_server_join();
    if (is_open && session_free_fd() != before)
        complain("a descriptor is left");
    is_open = true;
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    return session_file(SESSION_DIR "/calls", index, length);
}
