// Drives one fuzzer without libFuzzer: replays the files and folders named, then mutates them for
// -max_total_time=SECONDS. The mutations are deterministic (a fixed seed), so that a crash is found again.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::string;

int run(const Bytes& input) {
  return LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

void read_into(std::vector<Bytes>& corpus, const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path)) read_into(corpus, entry.path());
    return;
  }
  std::ifstream file(path, std::ios::binary);
  corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

Bytes mutated(Bytes input, const std::vector<Bytes>& corpus, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
  for (std::size_t round = 1 + below(8); round > 0; --round) {
    switch (below(5)) {
      case 0: input.insert(below(input.size() + 1), 1, static_cast<char>(below(256))); break;
      case 1: input.erase(below(input.size() + 1), 1 + below(16)); break;
      case 2:
        if (!input.empty()) input[below(input.size())] ^= static_cast<char>(1U << below(8));
        break;
      case 3: input.insert(below(input.size() + 1), input.substr(below(input.size() + 1), below(32))); break;
      default: input = input.substr(0, below(input.size() + 1)) + corpus[below(corpus.size())]; break;
    }
    if (input.size() > 64 * 1024) input.resize(64 * 1024);
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  std::chrono::seconds limit{0};
  std::vector<Bytes> corpus{""};
  for (int i = 1; i < argc; ++i) {
    const char* time = "-max_total_time=";
    if (std::strncmp(argv[i], time, std::strlen(time)) == 0)
      limit = std::chrono::seconds(std::atoi(argv[i] + std::strlen(time)));
    else if (argv[i][0] != '-')
      read_into(corpus, argv[i]);
  }
  for (const auto& input : corpus) run(input);
  std::mt19937_64 random(42);
  std::size_t runs = corpus.size();
  for (const auto end = std::chrono::steady_clock::now() + limit; std::chrono::steady_clock::now() < end;
       ++runs)
    run(mutated(corpus[random() % corpus.size()], corpus, random));
  std::printf("Done %zu runs\n", runs);
}
