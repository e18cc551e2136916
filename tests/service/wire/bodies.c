#include "body_parts.h"

static const struct hy_wire_family *const families[] = {
    &hy_wire_session_bodies, &hy_wire_model_bodies, &hy_wire_run_bodies,
    &hy_wire_buffer_bodies,  &hy_wire_cache_bodies,
};

const struct hy_wire_body *hy_wire_body(uint32_t index)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (index < families[i]->count)
            return &families[i]->bodies[index];
        index -= families[i]->count;
    }
    return NULL;
}
