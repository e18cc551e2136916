#include "fake_sl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct fake_support_library fake_state;

/* ---- The log and the faults ------------------------------------------------------------------ */

void fake_note(const char *format, ...)
{
    const size_t length = strlen(fake_state.log);
    va_list list;

    va_start(list, format);
    vsnprintf(fake_state.log + length, sizeof fake_state.log - length, format, list);
    va_end(list);
}

bool fake_is_faulty(const char *call)
{
    if (!fake_state.faulty_call || strcmp(fake_state.faulty_call, call) != 0)
        return false;
    if (fake_state.good_calls > 0) {
        fake_state.good_calls--;
        return false;
    }
    return true;
}

void fake_note_list(uint32_t count, const uint32_t *list)
{
    for (uint32_t i = 0; i < count; i++)
        fake_note("%s%u", i ? "," : "", list[i]);
}

void fake_note_type(const ANeuralNetworksOperandType *type)
{
    if (!type) {
        fake_note(" as-in-model");
        return;
    }
    fake_note(" type %d [", type->type);
    fake_note_list(type->dimensionCount, type->dimensions);
    fake_note("] %g %d", (double)type->scale, type->zeroPoint);
}

/* ---- Objects --------------------------------------------------------------------------------- */

#define MAX_OBJECTS 256
static struct fake_object *objects[MAX_OBJECTS];

struct fake_object *fake_make(char kind)
{
    for (unsigned i = 0; i < MAX_OBJECTS; i++) {
        if (objects[i])
            continue;
        objects[i] = calloc(1, sizeof *objects[i]);
        if (!objects[i])
            abort();
        objects[i]->kind = kind;
        objects[i]->number = ++fake_state.counts[(unsigned char)kind];
        objects[i]->fd = -1;
        fake_state.live++;
        return objects[i];
    }
    abort();
}

static unsigned index_of(const void *handle, char kind)
{
    for (unsigned i = 0; i < MAX_OBJECTS; i++) {
        if (objects[i] && objects[i] == handle && objects[i]->kind == kind)
            return i;
    }
    abort(); /* freed already, or never made */
}

struct fake_object *fake_find(const void *handle, char kind)
{
    return objects[index_of(handle, kind)];
}

unsigned fake_number(const void *handle, char kind)
{
    return fake_find(handle, kind)->number;
}

void fake_drop(const char *call, void *handle, char kind)
{
    if (!handle)
        return;
    const unsigned position = index_of(handle, kind);
    struct fake_object *object = objects[position];
    fake_note("%s %c%u\n", call, kind, object->number);
    if (object->address)
        munmap(object->address, object->size);
    if (object->fd >= 0)
        close(object->fd);
    free(object);
    objects[position] = NULL;
    fake_state.live--;
}
