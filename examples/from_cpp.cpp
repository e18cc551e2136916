/*
 * Reads a picture with a network file and prints the three highest classes, in C++17:
 *
 *     c++ -std=c++17 from_cpp.cpp $(pkg-config --cflags --libs halyard) -o from_cpp
 *     ./from_cpp digits/digits.tflite digits/seven.png
 */
#include <chrono>
#include <cstdio>
#include <halyard/session.hpp>

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::fprintf(stderr, "usage: from_cpp MODEL.tflite PICTURE\n");
        return 2;
    }
    try {
        halyard::SessionOptions options;
        options.deadline = std::chrono::seconds(1); // time limit of a run

        halyard::Session session(halyard::Network::open(argv[1]), options);
        session.read_input(0, argv[2]);
        session.run();
        for (const halyard::Rank &rank : session.top(0, 3))
            std::printf("%4u  %.3f  %s\n", rank.index, rank.value, rank.label);
    } catch (const halyard::Error &error) {
        std::fprintf(stderr, "from_cpp: %s\n", error.what());
        return 1;
    }
    return 0;
}
