#include "tests/unit/libhalyard/session/input_fixture.h"

#include <halyard/halyard.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/kit/test.h"

bool input_fixture_begin(struct input_fixture *f, uint8_t *bytes, size_t length)
{
    *f = (struct input_fixture){.bytes = bytes};
    const bool made =
        halyard_network_open_memory(bytes, length, NULL, &f->network) == ANEURALNETWORKS_NO_ERROR &&
        halyard_session_create(f->network, NULL, &f->session) == ANEURALNETWORKS_NO_ERROR;
    if (!made)
        hy_test_fail(__FILE__, __LINE__, "%s", halyard_last_error());
    return made;
}

void input_fixture_end(struct input_fixture *f)
{
    halyard_session_free(f->session);
    halyard_network_close(f->network);
    free(f->bytes);
}

float *input_floats(struct halyard_session *session)
{
    void *bytes = NULL;
    size_t length;
    EXPECT_INT(halyard_session_input_buffer(session, 0, &bytes, &length), ANEURALNETWORKS_NO_ERROR);
    return bytes;
}

void write_input_file(char path[64], const void *bytes, size_t length)
{
    strcpy(path, "/tmp/halyard-test-XXXXXX");
    const int fd = mkstemp(path);
    if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
        hy_test_fail(__FILE__, __LINE__, "cannot write %s", path);
    close(fd);
}
