/* Networks and sessions through the header for C++. */
#include <halyard/session.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <type_traits>

extern "C" {
#include "networks.h"
#include "tests/kit/test.h"
}

using halyard::Network;
using halyard::Session;
using halyard::Span;

static_assert(std::is_nothrow_move_constructible_v<Network>);
static_assert(std::is_nothrow_move_assignable_v<Network>);
static_assert(!std::is_copy_constructible_v<Network> && !std::is_copy_assignable_v<Network>);
static_assert(std::is_nothrow_move_constructible_v<Session>);
static_assert(std::is_nothrow_move_assignable_v<Session>);
static_assert(!std::is_copy_constructible_v<Session> && !std::is_copy_assignable_v<Session>);
static_assert(std::is_convertible_v<std::vector<float> &, Span<const float>>);
static_assert(std::is_convertible_v<Span<float>, Span<const float>>);
static_assert(!std::is_convertible_v<Span<const float>, Span<float>>);
static_assert(!std::is_convertible_v<std::vector<float>, Span<const float>>); // a temporary

namespace
{

std::string digits(const char *file)
{
    char path[1024];
    digits_path(path, sizeof path, file);
    return path;
}

std::vector<std::uint8_t> read_file(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/* A network of networks.h, in bytes of its own. */
class Made
{
  public:
    explicit Made(bool (*make)(struct test_network *))
    {
        if (!make(&network_))
            network_ = {};
    }
    ~Made()
    {
        test_network_close(&network_);
    }
    Made(const Made &) = delete;
    Made &operator=(const Made &) = delete;

    Network open() const
    {
        return Network::open_memory(halyard::as_bytes(Span(network_.bytes, network_.length)));
    }

  private:
    struct test_network network_ = {};
};

/* The error that a call throws; code NO_ERROR where it throws none. */
template <typename Call> halyard::Error error_of(const Call &call)
{
    try {
        call();
    } catch (const halyard::Error &error) {
        return error;
    }
    return {ANEURALNETWORKS_NO_ERROR, ""};
}

/* What would leave a C function by an exception is a failure of the test. */
template <typename Test> void guarded(const Test &test)
{
    try {
        test();
    } catch (const std::exception &error) {
        hy_test_fail(__FILE__, __LINE__, "%s", error.what());
    }
}

} // namespace

TEST(session_cpp, runs_the_digits_network_to_the_recorded_outputs)
{
    guarded([] {
        const std::vector<std::uint8_t> images = read_file(digits("test_images.bin"));
        const std::vector<std::uint8_t> outputs = read_file(digits("test_outputs.bin"));
        Session session(Network::open(digits("digits.tflite")));
        const Span<std::int8_t> input = session.input<std::int8_t>(0);

        REQUIRE(input.size() == 784 && images.size() == 500 * 784 && outputs.size() == 500 * 10);
        for (std::size_t i = 0; i < 500; i++) {
            std::transform(&images[i * 784], &images[i * 784] + 784, input.begin(),
                           [](std::uint8_t grey) { return static_cast<std::int8_t>(grey - 128); });
            session.run();
            const Span<const std::byte> output = session.output<std::byte>(0);
            EXPECT(std::memcmp(output.data(), &outputs[i * 10], 10) == 0);
        }
    });
}

TEST(session_cpp, tells_what_tensors_are)
{
    guarded([] {
        const Network network = Network::open(digits("digits.tflite"));
        const halyard::TensorInfo input = network.input_info(0);
        const std::int32_t extents[] = {1, 28, 28, 1};

        EXPECT(input.name() == "image");
        EXPECT(input.type() == halyard::Type::int8);
        EXPECT(halyard::type_name(input.type()) == "int8");
        EXPECT(std::equal(input.extents().begin(), input.extents().end(), extents, extents + 4));
        EXPECT_INT(input.element_count(), 784);
        EXPECT_INT(input.scales().size(), 1);
        EXPECT_INT(input.zero_points()[0], -128);
        EXPECT(input.labels().empty());
        EXPECT_INT(network.output_info(0).element_count(), 10);
        EXPECT(network.format() == "tflite");
        EXPECT_INT(network.operator_count(), 12);
        EXPECT_STR(network.operator_info(0).name, "CONV_2D");
        EXPECT(network.memory().mapped > 5000);
        EXPECT(network.model() != nullptr);
    });
}

TEST(session_cpp, reads_pictures_and_ranks_classes)
{
    guarded([] {
        Session session(Network::open(digits("digits.tflite")));

        session.read_labels(0, digits("labels.txt"));
        const std::string note = session.read_input(0, digits("sheet.png"));
        EXPECT_CONTAINS(note.c_str(), "840 x 1008");
        EXPECT(session.read_input(0, digits("seven.png")).empty());
        session.run();
        const std::vector<halyard::Rank> best = session.top(0, 20);
        REQUIRE(best.size() == 10);
        EXPECT_INT(best[0].index, 7);
        EXPECT_STR(best[0].label, "7");
        const std::vector<double> values = session.read_output(0);
        REQUIRE(values.size() == 10);
        EXPECT(values[7] == best[0].value);
    });
}

TEST(session_cpp, error_has_the_code_and_the_words_of_the_library)
{
    guarded([] {
        const halyard::Error missing = error_of([] { Network::open("/nowhere/at-all.tflite"); });
        EXPECT_INT(missing.code(), ANEURALNETWORKS_UNMAPPABLE);
        EXPECT_CONTAINS(missing.what(), "/nowhere/at-all.tflite");
        EXPECT_STR(missing.what(), halyard_last_error());

        const Made made(test_network_custom);
        const Network network = made.open();
        const halyard::Error custom = error_of([&] { Session session(network); });
        EXPECT_INT(custom.code(), ANEURALNETWORKS_BAD_DATA);
        EXPECT_CONTAINS(custom.what(), "Strange");
    });
}

TEST(session_cpp, elements_of_another_type_are_refused_with_both_names)
{
    guarded([] {
        Session session(Network::open(digits("digits.tflite")));
        std::vector<float> values(784);

        const halyard::Error read = error_of([&] { session.input<float>(0); });
        EXPECT_INT(read.code(), ANEURALNETWORKS_BAD_DATA);
        EXPECT_CONTAINS(read.what(), "input 0 image");
        EXPECT_CONTAINS(read.what(), "int8");
        EXPECT_CONTAINS(read.what(), "float32");
        EXPECT_INT(error_of([&] { session.bind_input(0, Span(values)); }).code(),
                   ANEURALNETWORKS_BAD_DATA);
        EXPECT_INT(error_of([&] { session.output<float>(0); }).code(), ANEURALNETWORKS_BAD_DATA);
    });
}

TEST(session_cpp, session_keeps_its_network_open)
{
    guarded([] {
        const Made made(test_network_sum);
        std::optional<Network> network(made.open());
        Session session(*network);

        network.reset();
        session.input<float>(0)[0] = 1;
        session.input<float>(1)[0] = 2;
        session.run();
        EXPECT(session.output<float>(0)[0] == 3);
    });
}

TEST(session_cpp, moved_session_runs_and_what_is_left_throws)
{
    guarded([] {
        const Made made(test_network_sum);
        Session first(made.open()), second(made.open());

        first.input<float>(0)[1] = 5;
        second = std::move(first);
        second.run();
        EXPECT(second.output<float>(0)[1] == 5);
        /* What is left is empty. */
        /* NOLINTBEGIN(bugprone-use-after-move,clang-analyzer-cplusplus.Move) */
        EXPECT_INT(error_of([&] { first.run(); }).code(), ANEURALNETWORKS_UNEXPECTED_NULL);
        first.cancel();
        first = Session(made.open());
        first.run();
        EXPECT(first.output<float>(0)[1] == 0);

        Network network = made.open();
        const Network moved(std::move(network));
        EXPECT(network.format().empty());
        EXPECT_INT(network.input_count(), 0);
        EXPECT_INT(error_of([&] { Session session(network); }).code(),
                   ANEURALNETWORKS_UNEXPECTED_NULL);
        /* NOLINTEND(bugprone-use-after-move,clang-analyzer-cplusplus.Move) */
    });
}

TEST(session_cpp, reads_and_writes_memory_of_the_app)
{
    guarded([] {
        const Made made(test_network_sum);
        Session session(made.open());
        const std::vector<float> a = {1, 2};
        float sum[2] = {};

        session.bind_input(0, Span(a));
        session.bind_output(0, Span(sum));
        EXPECT(session.input<float>(0).data() == a.data());
        session.run();
        EXPECT(sum[0] == 1 && sum[1] == 2);
        session.unbind_input(0);
        session.unbind_output(0);
        session.run();
        EXPECT(sum[1] == 2);
        EXPECT(session.output<float>(0)[1] == 0);
    });
}

TEST(session_cpp, takes_another_shape)
{
    guarded([] {
        const Made made(test_network_sum);
        halyard::SessionOptions options;
        options.compile_later = true;
        Session session(made.open(), options);
        const std::vector<std::int32_t> extents = {3, 2};

        session.resize(0, extents);
        session.resize(1, extents);
        session.prepare();
        EXPECT_INT(session.input<float>(0).size(), 6);
        EXPECT_INT(session.output_info(0).extents()[0], 3);
    });
}

TEST(session_cpp, asynchronous_run_calls_the_function_before_the_wait_is_over)
{
    guarded([] {
        const Made made(test_network_sum);
        Session session(made.open());
        int result = -1;

        session.start([&result](int code) { result = code; });
        const halyard::Error busy = error_of([&] { session.start([](int) {}); });
        Session moved(std::move(session));
        moved.wait();
        EXPECT_INT(busy.code(), ANEURALNETWORKS_BAD_STATE);
        EXPECT_INT(result, ANEURALNETWORKS_NO_ERROR);
        moved.start();
        moved.wait();
        moved.start([&result](int) { result = 7; });
        moved = Session(made.open()); // ends the run, and then frees its function
        EXPECT_INT(result, 7);
    });
}

TEST(session_cpp, options_reach_the_session)
{
    guarded([] {
        const Made made(test_network_signatures);
        const Network network = made.open();
        halyard::SessionOptions options;

        options.signature = network.find_signature("double");
        options.devices = {halyard::find_device("nnapi-reference")};
        options.deadline = std::chrono::seconds(10);
        Session session(network, options);
        session.input<float>(0)[0] = 3;
        session.run();
        EXPECT(session.output<float>(0)[0] == 6);

        halyard_plan_step step{};
        step.struct_size = sizeof step;
        halyard::check(halyard_compilation_get_step(session.compilation(), 0, &step));
        EXPECT(step.device == options.devices[0]);
        EXPECT_INT(session.operator_of(0), 0);

        options.deadline = std::chrono::nanoseconds(-1);
        EXPECT_INT(error_of([&] { Session late_session(network, options); }).code(),
                   ANEURALNETWORKS_BAD_DATA);
        const halyard::Error unknown = error_of([] { halyard::find_device("npu"); });
        EXPECT_CONTAINS(unknown.what(), "npu");
        EXPECT_CONTAINS(unknown.what(), "halyard-cpu");
    });
}

TEST(session_cpp, state_can_be_read_written_and_reset)
{
    guarded([] {
        const Made made(test_network_signatures);
        Session session(made.open());
        const float other[] = {10, 20};

        REQUIRE(session.state_count() == 1);
        EXPECT_INT(session.state_info(0).element_count(), 2);
        EXPECT(session.read_state<float>(0) == (std::vector<float>{1, 2}));
        session.write_state(0, Span(other));
        session.input<float>(0)[0] = 3;
        session.run();
        EXPECT(session.output<float>(0)[0] == 13);
        session.reset_state();
        EXPECT(session.read_state<float>(0)[0] == 1);
    });
}

TEST(session_cpp, pixels_take_one_mean_and_std_for_each_channel)
{
    guarded([] {
        Session session(Network::open(digits("digits.tflite")));
        const std::vector<std::uint8_t> pixels(784, 100);
        halyard::ImageOptions options;

        session.set_pixels(0, pixels.data(), 28, 28, 1, 28);
        EXPECT_INT(session.input<std::int8_t>(0)[0], -28);
        options.means = {0};
        options.stds = {510};
        session.set_pixels(0, pixels.data(), 28, 28, 1, 28, options);
        EXPECT_INT(session.input<std::int8_t>(0)[0], -78);
        options.stds.push_back(1);
        const halyard::Error odd =
            error_of([&] { session.set_pixels(0, pixels.data(), 28, 28, 1, 28, options); });
        EXPECT_CONTAINS(odd.what(), "1 means and 2 stds");
    });
}
