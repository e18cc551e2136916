/*
 * A client of a shared service whose images need more bytes than their memory has, and another
 * client whose memory lies beside: every way in.
 */
#include "plugins/service/queue/packet.h"
#include "plugins/service/queue/request_packet.h"
#include "plugins/service/queue/result_packet.h"
#include "plugins/service/queue/rings.h"
#include "plugins/service/wire/buffers.h"
#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"
#include "plugins/service/wire/wire_model.h"
#include "plugins/service/wire/wire_request.h"
#include "raw_client.h"
#include "shared_service.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <android/hardware_buffer.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, NEIGHBOURS = 64, SECRET = 0x5a, OWN = 0x11, LARGE = 16384 };

/* Who attacks, who is attacked, and what each has. */
struct attack {
    struct shared_service service;
    struct raw_client victim, attacker;
    int neighbours[NEIGHBOURS]; /* a page of secrets each */
    struct hy_pool sums;        /* what the victim computes in */
    uint64_t adds;              /* the victim's prepared model */
    uint64_t reshapes[2];       /* the attacker's: from an image, to an image */
    uint32_t rows;              /* of the tensor that the attacker reshapes */
    struct hy_pool plain;       /* the attacker's other argument: as many pages */
    pid_t host;
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static int make_file(size_t bytes, int value)
{
    static uint8_t page[PAGE];
    const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    memset(page, value, sizeof page);
    for (size_t at = 0; at < bytes; at += PAGE)
        EXPECT_INT(pwrite(fd, page, sizeof page, (off_t)at), PAGE);
    return fd;
}

static bool has_only(int fd, size_t bytes, int value)
{
    uint8_t page[PAGE];

    for (size_t at = 0; at < bytes; at += PAGE) {
        if (pread(fd, page, sizeof page, (off_t)at) != PAGE)
            return false;
        for (size_t i = 0; i < sizeof page; i++) {
            if (page[i] != value)
                return false;
        }
    }
    return true;
}

static bool add(struct raw_client *client, const struct hy_pool *pool, int32_t status)
{
    raw_call(client, HY_WIRE_MEMORY_ADD, pool->id);
    hy_memory_pack(&client->call.body, pool);
    return raw_make(client) == status;
}

static struct hy_pool memory_of(int fd, uint64_t id, uint64_t bytes)
{
    return (struct hy_pool){.kind = HY_POOL_ASHMEM,
                            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                            .fd = fd,
                            .id = id,
                            .size = bytes};
}

/* A grey image with one page a row, as large as the tensor. */
static struct hy_image image_of(uint32_t rows)
{
    return (struct hy_image){.width = PAGE,
                             .height = rows,
                             .layers = 1,
                             .format = AHARDWAREBUFFER_FORMAT_R8_UNORM,
                             .stride = PAGE};
}

static struct hy_pool pool_of(int fd, const struct hy_image *image)
{
    return (struct hy_pool){.kind = HY_POOL_HARDWARE_BUFFER,
                            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                            .fd = fd,
                            .image = image};
}

/* ---- Clients --------------------------------------------------------------------------------- */

/* A model of one RESHAPE: bytes of an image, in a line, or the other way round. */
static uint64_t prepare(struct raw_client *client, uint32_t rows, bool is_output)
{
    static const uint32_t inputs[] = {0, 1}, output = 2;
    const uint32_t image[] = {1, rows, PAGE, 1}, line[] = {rows * PAGE};
    const uint32_t *const from = is_output ? line : image, *const to = is_output ? image : line;
    const uint32_t from_rank = is_output ? 1 : 4, to_rank = is_output ? 4 : 1;
    const struct hy_operand operands[] = {
        {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
         .lifetime = HY_LIFETIME_INPUT,
         .rank = from_rank,
         .dims = from,
         .scale = 1.0f},
        {.type = ANEURALNETWORKS_TENSOR_INT32,
         .lifetime = HY_LIFETIME_CONSTANT_COPY,
         .rank = 1,
         .dims = &to_rank,
         .location = {.length = to_rank * sizeof *to}},
        {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
         .lifetime = HY_LIFETIME_OUTPUT,
         .rank = to_rank,
         .dims = to,
         .scale = 1.0f},
    };
    const struct hy_operation operation = {.type = ANEURALNETWORKS_RESHAPE,
                                           .input_count = 2,
                                           .output_count = 1,
                                           .inputs = inputs,
                                           .outputs = &output};
    const struct hy_subgraph graph = {.struct_size = sizeof graph,
                                      .operand_count = 3,
                                      .operation_count = 1,
                                      .input_count = 1,
                                      .output_count = 1,
                                      .operands = operands,
                                      .operations = &operation,
                                      .inputs = inputs,
                                      .outputs = &output};
    const struct hy_model model = {.struct_size = sizeof model,
                                   .main = &graph,
                                   .values = (const uint8_t *)to,
                                   .values_size = to_rank * sizeof *to,
                                   .feature_level = 1};
    const struct hy_prepare_options options = {
        .struct_size = sizeof options, .preference = 1, .priority = 1, .deadline = HY_NO_DEADLINE};

    raw_call(client, HY_WIRE_PREPARE, 0);
    hy_model_pack(&client->call.body, &model);
    hy_prepare_options_pack(&client->call.body, &options);
    return raw_make(client) == HY_STATUS_OK ? client->reply.header.object : 0;
}

/* The memory that the service maps last lies right below what it has mapped before: the victim's
 * comes after all else that the attacker needs. */
static bool begin(struct attack *attack, uint32_t rows)
{
    static const char *const cpu[] = {"--cpu", NULL};
    int status;

    *attack = (struct attack){.rows = rows};
    if (!shared_service_init(&attack->service) ||
        !shared_service_start(&attack->service, cpu, &status) ||
        !raw_begin(&attack->victim, attack->service.socket, "", "{}") ||
        !raw_begin(&attack->attacker, attack->service.socket, "", "{}"))
        return false;
    attack->host = shared_service_host(&attack->service);
    attack->adds = raw_prepare(&attack->victim);
    for (int is_output = 0; is_output < 2; is_output++)
        attack->reshapes[is_output] = prepare(&attack->attacker, rows, is_output);
    attack->plain = memory_of(make_file(PAGE, OWN), 100, (uint64_t)rows * PAGE);
    attack->sums = memory_of(make_file(PAGE, 0), 1, PAGE);
    if (ftruncate(attack->plain.fd, (off_t)attack->plain.size) != 0 ||
        !add(&attack->attacker, &attack->plain, HY_STATUS_OK) ||
        !add(&attack->victim, &attack->sums, HY_STATUS_OK))
        return false;
    for (uint32_t i = 0; i < NEIGHBOURS; i++) {
        attack->neighbours[i] = make_file(PAGE, SECRET);
        const struct hy_pool pool = memory_of(attack->neighbours[i], 2 + i, PAGE);
        if (!add(&attack->victim, &pool, HY_STATUS_OK))
            return false;
    }
    return attack->adds != 0 && attack->reshapes[0] != 0 && attack->reshapes[1] != 0;
}

static bool has_leaked(const struct attack *attack)
{
    uint8_t page[PAGE];

    for (size_t at = 0; at < attack->plain.size; at += PAGE) {
        if (pread(attack->plain.fd, page, sizeof page, (off_t)at) != PAGE ||
            memchr(page, SECRET, sizeof page))
            return true;
    }
    return false;
}

/* What the attack has changed, which is nothing. */
static void expect_no_harm(struct attack *attack)
{
    uint32_t changed = 0;

    for (uint32_t i = 0; i < NEIGHBOURS; i++)
        changed += !has_only(attack->neighbours[i], PAGE, SECRET);
    EXPECT_INT(changed, 0);
    EXPECT(!has_leaked(attack));
    EXPECT_INT(shared_service_host(&attack->service), attack->host);
    EXPECT_INT(raw_execute(&attack->victim, attack->adds, &attack->sums, &attack->sums),
               HY_STATUS_OK);
}

static void end(struct attack *attack)
{
    for (uint32_t i = 0; i < NEIGHBOURS; i++)
        close(attack->neighbours[i]);
    close(attack->plain.fd);
    close(attack->sums.fd);
    raw_close(&attack->victim);
    raw_close(&attack->attacker);
    shared_service_finish(&attack->service);
}

/* ---- Ways in --------------------------------------------------------------------------------- */

/* A request with an image on one side and plain memory on the other. */
struct image_request {
    struct hy_pool pools[2];
    struct hy_argument image, plain;
    struct hy_request request;
};

static const struct hy_run_options run_options = {.struct_size = sizeof run_options,
                                                  .deadline = HY_NO_DEADLINE};

static void describe(struct image_request *ret, const struct attack *attack,
                     const struct hy_pool *image, bool is_output)
{
    *ret = (struct image_request){
        .pools = {*image, attack->plain},
        .plain.location = {.pool = 1, .length = attack->plain.size},
    };
    ret->request = (struct hy_request){.struct_size = sizeof ret->request,
                                       .input_count = 1,
                                       .output_count = 1,
                                       .pool_count = 2,
                                       .inputs = is_output ? &ret->plain : &ret->image,
                                       .outputs = is_output ? &ret->image : &ret->plain,
                                       .pools = ret->pools};
}

/* Starts a call with such a request as its body. */
static void call(struct attack *attack, enum hy_wire_kind kind, const struct hy_pool *image,
                 bool is_output)
{
    struct image_request made;

    describe(&made, attack, image, is_output);
    raw_call(&attack->attacker, kind, attack->reshapes[is_output]);
    hy_request_pack(&attack->attacker.call.body, &made.request);
    hy_run_options_pack(&attack->attacker.call.body, &run_options);
}

/* Each gives the first status that is not OK; -1: the service has hung up. */
typedef int32_t way_in(struct attack *attack, const struct hy_pool *image, bool is_output);

static int32_t execute(struct attack *attack, const struct hy_pool *image, bool is_output)
{
    call(attack, HY_WIRE_EXECUTE, image, is_output);
    return raw_make(&attack->attacker);
}

static int32_t execute_added(struct attack *attack, const struct hy_pool *image, bool is_output)
{
    struct hy_pool named = *image;

    named.id = 200 + is_output;
    raw_call(&attack->attacker, HY_WIRE_MEMORY_ADD, named.id);
    hy_memory_pack(&attack->attacker.call.body, &named);
    const int32_t status = raw_make(&attack->attacker);
    named.image = NULL;
    return status == HY_STATUS_OK ? execute(attack, &named, is_output) : status;
}

static int32_t execute_reusable(struct attack *attack, const struct hy_pool *image, bool is_output)
{
    const int64_t deadline = HY_NO_DEADLINE;

    call(attack, HY_WIRE_REUSABLE_CREATE, image, is_output);
    const int32_t status = raw_make(&attack->attacker);
    if (status != HY_STATUS_OK)
        return status;
    raw_call(&attack->attacker, HY_WIRE_REUSABLE_EXECUTE, attack->attacker.reply.header.object);
    hy_pack_copy(&attack->attacker.call.body, &deadline, 1, sizeof deadline);
    return raw_make(&attack->attacker);
}

static bool announce(struct raw_client *client, int32_t slot, const struct hy_pool *pool)
{
    raw_call(client, HY_WIRE_BURST_ANNOUNCE, 0);
    hy_burst_slot_pack(&client->call.body, &(struct hy_burst_slot){slot, *pool});
    return hy_frame_send(&client->channel, &client->call, HY_NO_DEADLINE, NULL) == HY_OK;
}

/* The result's status; -1: none comes. */
static int32_t pop_result(const struct raw_client *client, struct hy_rings *rings)
{
    union hy_element elements[64];
    struct hy_output_shape shape;
    struct hy_result result = {.struct_size = sizeof result, .output_count = 1, .outputs = &shape};
    char text[HY_QUEUE_TEXT_SIZE];
    int32_t status = -1;
    uint32_t count = 0;

    for (;;) {
        struct pollfd hang_up = {.fd = client->channel.fd, .events = POLLIN};
        const enum hy_packet packet = hy_result_packet_pop(&rings->results, elements, &count);
        if (packet == HY_PACKET_WHOLE)
            return hy_result_packet_decode(elements, count, &status, &result, text) ? status : -1;
        if (packet != HY_PACKET_NONE || poll(&hang_up, 1, 1) != 0)
            return -1;
    }
}

/* Packets have no word for an image: a slot names one all the same. */
static int32_t run_packet(struct attack *attack, struct hy_rings *rings, bool is_output)
{
    static const int32_t slots[] = {0, 1};
    const struct hy_pool named = {.kind = HY_POOL_ASHMEM, .fd = -1, .id = 1};
    union hy_element elements[64];
    struct image_request made;

    describe(&made, attack, &named, is_output);
    made.pools[1] = named;
    EXPECT(hy_request_packet_encode(&made.request, &run_options, elements, 64) < 64);
    hy_request_packet_set_slots(&made.request, slots, elements);
    hy_request_packet_add_notices(2, elements);
    return hy_ring_write(&rings->requests, elements, elements[0].request.packet.elements) ==
                   HY_RING_DONE
               ? pop_result(&attack->attacker, rings)
               : -1;
}

/* The burst takes the channel for itself: another one comes after it. */
static int32_t execute_burst(struct attack *attack, const struct hy_pool *image, bool is_output)
{
    struct raw_client *client = &attack->attacker;
    struct hy_rings rings = {0};
    struct hy_error err;
    int fd = -1;
    int32_t status = -1;

    if (hy_rings_create(64, &rings, &fd, &err) != HY_OK)
        return -1;
    raw_call(client, HY_WIRE_BURST_OPEN, attack->reshapes[is_output]);
    hy_pack_fd(&client->call.body, fd);
    const struct hy_pool plain = {.kind = HY_POOL_ASHMEM, .fd = -1, .id = attack->plain.id};
    if (raw_make(client) == HY_STATUS_OK && announce(client, 0, image) &&
        announce(client, 1, &plain))
        status = run_packet(attack, &rings, is_output);
    hy_socket_finish(&client->channel);
    hy_socket_init(&client->channel, raw_channel(client));
    hy_rings_close(&rings);
    close(fd);
    return status;
}

static const struct {
    const char *name;
    way_in *enter;
} ways_in[] = {
    {"execution", execute},
    {"memory that was added", execute_added},
    {"reusable", execute_reusable},
    {"burst", execute_burst},
};

/* ---- Attacks --------------------------------------------------------------------------------- */

static void attack_by(size_t way, uint32_t rows, bool is_output)
{
    const int file = make_file(PAGE, OWN);
    const struct hy_image image = image_of(rows);
    struct attack attack;

    REQUIRE(begin(&attack, rows));
    const struct hy_pool pool = pool_of(file, &image);
    EXPECT_INT(ways_in[way].enter(&attack, &pool, is_output), HY_STATUS_INVALID_ARGUMENT);
    expect_no_harm(&attack);
    end(&attack);
    close(file);
}

TEST(shared_images, image_larger_than_its_memory_reads_no_other_client_s)
{
    for (size_t way = 0; way < sizeof ways_in / sizeof *ways_in; way++)
        attack_by(way, 2, false);
}

TEST(shared_images, image_larger_than_its_memory_overwrites_no_other_client_s)
{
    for (size_t way = 0; way < sizeof ways_in / sizeof *ways_in; way++)
        attack_by(way, 2, true);
}

TEST(shared_images, image_much_larger_than_its_memory_does_not_end_the_service)
{
    for (size_t way = 0; way < sizeof ways_in / sizeof *ways_in; way++)
        attack_by(way, LARGE, way % 2);
}

static int32_t copy(struct raw_client *client, enum hy_wire_kind kind, uint64_t buffer,
                    const struct hy_pool *pool)
{
    raw_call(client, kind, buffer);
    hy_buffer_copy_pack(
        &client->call.body,
        &(struct hy_buffer_copy){*pool, &(uint32_t){4}, kind == HY_WIRE_BUFFER_COPY_FROM});
    return raw_make(client);
}

TEST(shared_images, copies_from_and_to_images_larger_than_their_memory_are_refused)
{
    const struct hy_image image = image_of(2);
    struct attack attack;
    uint32_t token = 0;

    REQUIRE(begin(&attack, 2));
    const uint64_t prepared = raw_prepare(&attack.attacker),
                   buffer = raw_buffer(&attack.attacker, prepared, &token);
    struct hy_pool pool = pool_of(make_file(PAGE, OWN), &image);
    REQUIRE(buffer != 0);
    for (pool.size = 0; pool.size <= 16; pool.size += 16) { /* 16: what the buffer has */
        EXPECT_INT(copy(&attack.attacker, HY_WIRE_BUFFER_COPY_FROM, buffer, &pool),
                   HY_STATUS_INVALID_ARGUMENT);
        EXPECT_INT(copy(&attack.attacker, HY_WIRE_BUFFER_COPY_TO, buffer, &pool),
                   HY_STATUS_INVALID_ARGUMENT);
    }
    expect_no_harm(&attack);
    close(pool.fd);
    end(&attack);
}

TEST(shared_images, images_that_cannot_be_are_refused_with_the_numbers)
{
    static const struct {
        const char *expected;
        struct hy_image image;
        uint64_t offset, size;
    } cases[] = {
        {"format 0x777 is not supported", {PAGE, 1, 1, 0x777, PAGE, 0, 0}, 0, 0},
        {"format 0x0 is not supported", {PAGE, 1, 1, 0, PAGE, 0, 0}, 0, 0},
        {"has format BLOB", {PAGE, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, PAGE, 0, 0}, 0, 0},
        {"are empty", {0, 1, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, PAGE, 0, 0}, 0, 0},
        {"are empty", {PAGE, 0, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, PAGE, 0, 0}, 0, 0},
        {"are empty", {PAGE, 1, 0, AHARDWAREBUFFER_FORMAT_R8_UNORM, PAGE, 0, 0}, 0, 0},
        {"the stride is 4095 pixels, rows have 4096",
         {PAGE, 1, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, PAGE - 1, 0, 0},
         0,
         0},
        {"too many bytes",
         {UINT32_MAX, UINT32_MAX, UINT32_MAX, AHARDWAREBUFFER_FORMAT_R8_UNORM, UINT32_MAX, 0, 0},
         0,
         0},
        {"too many bytes", /* 2^64 and a few */
         {1 << 16, 1 << 16, UINT32_MAX, AHARDWAREBUFFER_FORMAT_R8_UNORM, (1 << 16) + 1, 0, 0},
         0,
         0},
        {"usage 0x10000000000000 is not supported",
         {PAGE, 1, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, PAGE, 0, UINT64_C(1) << 52},
         0,
         0},
        {"8192 bytes at offset 0 do not fit the memory of 4096 bytes",
         {PAGE, 1, 2, AHARDWAREBUFFER_FORMAT_R8_UNORM, PAGE, 0, 0},
         0,
         0},
        {"4097 bytes at offset 0",
         {1, 1, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, PAGE + 1, 0, 0},
         0,
         0},
        {"6144 bytes at offset 0", /* planes of chroma */
         {64, 64, 1, AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 64, 0, 0},
         0,
         0},
        {"has offset 4096", {PAGE, 1, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, PAGE, 0, 0}, PAGE, 0},
        {"an image of 4096 bytes in a pool of 4095 bytes",
         {PAGE, 1, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, PAGE, 0, 0},
         0,
         PAGE - 1},
        {"reserved member 1", {PAGE, 1, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, PAGE, 1, 0}, 0, 0},
    };
    struct attack attack;
    const int file = make_file(PAGE, OWN);

    REQUIRE(begin(&attack, 1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_pool pool = pool_of(file, &cases[i].image);
        pool.id = 300 + i;
        pool.offset = cases[i].offset;
        pool.size = cases[i].size;
        EXPECT(add(&attack.attacker, &pool, HY_STATUS_INVALID_ARGUMENT));
        EXPECT_CONTAINS(attack.attacker.error_text, cases[i].expected);
    }
    expect_no_harm(&attack);
    close(file);
    end(&attack);
}

TEST(shared_images, image_that_fits_is_an_argument_in_every_way)
{
    enum { ROWS = 2 };
    const struct hy_image image = image_of(ROWS);

    for (size_t way = 0; way < 2 * (sizeof ways_in / sizeof *ways_in); way++) {
        const bool is_output = way % 2;
        const int file = make_file(ROWS * PAGE, is_output ? 0 : OWN + 1);
        const struct hy_pool pool = pool_of(file, &image);
        struct attack attack;

        REQUIRE(begin(&attack, ROWS));
        EXPECT_INT(ways_in[way / 2].enter(&attack, &pool, is_output), HY_STATUS_OK);
        if (is_output)
            EXPECT(has_only(file, PAGE, OWN)); /* and zeros behind it */
        else
            EXPECT(has_only(attack.plain.fd, ROWS * PAGE, OWN + 1));
        expect_no_harm(&attack);
        end(&attack);
        close(file);
    }
}
