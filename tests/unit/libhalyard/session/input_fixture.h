#ifndef HY_TESTS_UNIT_LIBHALYARD_SESSION_INPUT_FIXTURE_H
#define HY_TESTS_UNIT_LIBHALYARD_SESSION_INPUT_FIXTURE_H

#include <halyard/session.h>

#include <stdbool.h>
#include <stdint.h>

/* A session of a network in memory. Tests fill the inputs. */
struct input_fixture {
    uint8_t *bytes;
    struct halyard_network *network;
    struct halyard_session *session;
};

/* Takes ownership of the bytes, to be free()d at the end. On failure records a test failure and
 * returns false. */
bool input_fixture_begin(struct input_fixture *f, uint8_t *bytes, size_t length);
void input_fixture_end(struct input_fixture *f);

/* The buffer of input 0. */
float *input_floats(struct halyard_session *session);

/* Creates a file with the given bytes; the caller unlinks the file. */
void write_input_file(char path[64], const void *bytes, size_t length);

#endif
