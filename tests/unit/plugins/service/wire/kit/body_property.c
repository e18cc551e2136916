#include "bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void demand(int condition, const struct hy_wire_body *body, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s: %s\n", body->name, what);
    abort();
}

static enum hy_code echo(const struct hy_wire_body *body, const uint8_t *bytes, size_t size,
                         const int *fds, uint32_t fd_count, struct hy_pack *out,
                         struct hy_error *err)
{
    struct hy_arena arena = {0};
    struct hy_unpack in;

    hy_pack_reset(out);
    hy_unpack_init(&in, body->name, bytes, size, fds, fd_count, &arena, err);
    const enum hy_code code = hy_wire_echo(body, &in, out);
    hy_arena_finish(&arena);
    return code;
}

static void echo_again(const struct hy_wire_body *body, const struct hy_pack *first)
{
    struct hy_pack second;
    struct hy_error err;

    hy_pack_init(&second);
    demand(echo(body, first->bytes, first->size, first->fds, first->fd_count, &second, &err) ==
               HY_OK,
           body, "what was written is refused");
    demand(first->size == second.size && first->fd_count == second.fd_count, body,
           "what was written has another size");
    demand(first->size == 0 || memcmp(first->bytes, second.bytes, first->size) == 0, body,
           "what was written has changed");
    hy_pack_finish(&second);
}

enum hy_code hy_wire_try(const struct hy_wire_body *body, const uint8_t *bytes, size_t size,
                         const int *fds, uint32_t fd_count, struct hy_pack *out,
                         struct hy_error *err)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);

    demand(copy != NULL, body, "out of memory");
    if (size > 0)
        memcpy(copy, bytes, size);
    *err = (struct hy_error){0};
    const enum hy_code code = echo(body, copy, size, fds, fd_count, out, err);
    free(copy);
    if (code == HY_OK)
        echo_again(body, out);
    else
        demand(code == HY_BAD_DATA && err->text[0] != '\0', body, "refused without words");
    return code;
}
