// Pages of files that stream by, in pieces so small that everything is cut somewhere.
#include "tools/files/read_large.h"

#include <fcntl.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/tools/world.h"

using namespace tern;
using namespace tern::testing;

namespace {

LargePage page(World& world, std::string_view bytes, std::size_t piece, std::size_t offset = 1,
               std::size_t limit = 10) {
  put(world.root / "f", bytes);
  Fd fd(::open((world.root / "f").c_str(), O_RDONLY | O_CLOEXEC));
  return page_of_large(fd.get(), bytes.size(), offset, limit, {}, piece);
}

std::string in(Encoding encoding, std::string_view text) {
  std::string misfit;
  return encode(text, encoding, misfit).value();
}

}  // namespace

TEST_CASE("a streamed page is in the file's encoding, however the pieces fall") {
  World world;
  const std::string text = "first 测试文件的内容\r\n中间的一行\nlast 😀";
  const std::string plain = "first 测试文件的内容\n中间的一行\nlast";
  struct Row {
    Encoding encoding;
    std::string bytes;
    bool wide_characters;
  };
  for (const auto& [encoding, bytes, all] :
       {Row{Encoding::utf8, text, true}, Row{Encoding::gbk, in(Encoding::gbk, plain), false},
        Row{Encoding::utf16le, "\xff\xfe" + in(Encoding::utf16le, text), true},
        Row{Encoding::utf16be, "\xfe\xff" + in(Encoding::utf16be, text), true}}) {
    for (std::size_t piece : {30u, 31u, 37u, 1000u}) {
      INFO(to_string(encoding) << " by " << piece);
      auto large = page(world, bytes, piece);
      CHECK(large.charset.encoding == encoding);
      CHECK(large.page.text == (all ? "1\tfirst 测试文件的内容\n2\t中间的一行\n3\tlast 😀"
                                    : "1\tfirst 测试文件的内容\n2\t中间的一行\n3\tlast"));
      CHECK(large.page.total == 3);
    }
  }
}

TEST_CASE("the encoding is told by the first bytes that are not ASCII") {
  World world;
  std::string text;
  for (int i = 0; i < 50; ++i) text += "plain line\n";
  auto large = page(world, text + "caf\xe9\n", 64, 50);
  CHECK(large.charset.encoding == Encoding::cp1252);
  CHECK(large.page.text == "50\tplain line\n51\tcafé");
  CHECK(page(world, text, 64).charset.encoding == Encoding::utf8);
  CHECK(page(world,
             std::string("\x7f"
                         "ELF\0\0\0\0\1\2\3\4\0\0\0\0",
                         16),
             64)
            .charset.encoding == Encoding::binary);
}
