/* Calls in words that can be read and typed in again. */
#include "probe.h"

static const char *const object_names[PROBE_KINDS] = {
    [PROBE_model] = "model",         [PROBE_compilation] = "compilation",
    [PROBE_execution] = "execution", [PROBE_burst] = "burst",
    [PROBE_event] = "event",         [PROBE_memory] = "memory",
    [PROBE_desc] = "desc",
};

static void print_extents(FILE *to, uint32_t count, const uint32_t *extents)
{
    if (!extents) {
        fprintf(to, "NULL");
        return;
    }
    for (uint32_t i = 0; i < count && i < 4; i++)
        fprintf(to, "%s%u", i ? ", " : "{", extents[i]);
    fprintf(to, count > 4 ? ", ...}" : count > 0 ? "}" : "{}");
}

static void print_type(FILE *to, const ANeuralNetworksOperandType *type)
{
    fprintf(to, "{type %d, rank %u, ", type->type, type->dimensionCount);
    print_extents(to, type->dimensionCount, type->dimensions);
    fprintf(to, ", scale %g, zero point %d}", (double)type->scale, type->zeroPoint);
}

static void print_device(FILE *to, const ANeuralNetworksDevice *device)
{
    const char *name = NULL;
    const bool known =
        device && ANeuralNetworksDevice_getName(device, &name) == ANEURALNETWORKS_NO_ERROR;
    fprintf(to, "%s", known ? name : device ? "stranger" : "NULL");
}

static void print_object(FILE *to, struct probe_world *world, const void *handle)
{
    const struct probe_object *object = probe_find(world, handle);
    if (object)
        fprintf(to, "%s%u", object_names[object->kind], object->number);
    else
        fprintf(to, handle ? "out" : "NULL");
}

static void print_number(FILE *to, enum probe_kind kind, const union probe_value *value)
{
    switch (kind) {
    case PROBE_unsigned_index:
    case PROBE_count:
        fprintf(to, "%u", value->count);
        break;
    case PROBE_length:
    case PROBE_copied_length:
    case PROBE_offset:
        fprintf(to, "%zu", value->length);
        break;
    case PROBE_flag:
        fprintf(to, value->flag ? "true" : "false");
        break;
    case PROBE_code_within:
        fprintf(to, "%u", value->code_within);
        break;
    case PROBE_frequency:
        fprintf(to, "%g", (double)value->frequency);
        break;
    case PROBE_duration:
        fprintf(to, "%llu", (unsigned long long)value->duration);
        break;
    default:
        fprintf(to, "%d", value->code);
    }
}

static void print_quant(FILE *to, const ANeuralNetworksSymmPerChannelQuantParams *quant)
{
    fprintf(to, "{%u, %u, ", quant->channelDim, quant->scaleCount);
    if (quant->scales)
        fprintf(to, "{%g, %g, ...}}", (double)quant->scales[0], (double)quant->scales[1]);
    else
        fprintf(to, "NULL}");
}

void probe_print(FILE *to, struct probe_world *world, enum probe_kind kind,
                 const union probe_value *value)
{
    if (probe_nature(kind) == PROBE_VALUE) {
        print_number(to, kind, value);
        return;
    }
    if (!value->pointer) {
        fprintf(to, "NULL");
        return;
    }
    switch (kind) {
    case PROBE_operand_type:
    case PROBE_argument_type:
        print_type(to, value->operand_type);
        break;
    case PROBE_channel_quant:
        print_quant(to, value->channel_quant);
        break;
    case PROBE_indices:
    case PROBE_extents:
        print_extents(to, PROBE_LIST, value->indices);
        break;
    case PROBE_device:
        print_device(to, value->device);
        break;
    case PROBE_devices:
        for (uint32_t i = 0; i < 3; i++) {
            fprintf(to, i ? ", " : "{");
            print_device(to, value->devices[i]);
        }
        fprintf(to, ", ...}");
        break;
    case PROBE_events:
        for (uint32_t i = 0; i < 3; i++) {
            fprintf(to, i ? ", " : "{");
            print_object(to, world, value->events[i]);
        }
        fprintf(to, ", ...}");
        break;
    case PROBE_extension_name:
    case PROBE_cache_dir:
        fprintf(to, "\"%.40s\"", value->cache_dir);
        break;
    case PROBE_bytes:
    case PROBE_out_buffer:
    case PROBE_token:
        fprintf(to, "bytes");
        break;
    default:
        print_object(to, world, value->pointer);
    }
}
