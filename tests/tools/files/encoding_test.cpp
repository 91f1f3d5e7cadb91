#include "tools/files/encoding.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/tools/world.h"

using namespace tern;
using namespace tern::testing;

namespace {

Encoding encoding_of(std::string_view bytes) { return detect(bytes).encoding; }

std::string decoded(std::string_view bytes) { return std::string(TextView(bytes, detect(bytes)).text()); }

std::string encoded(std::string_view text, Encoding encoding) {
  std::string misfit;
  auto out = encode(text, encoding, misfit);
  REQUIRE(out);
  return *out;
}

}  // namespace

TEST_CASE("encodings are told apart") {
  CHECK(encoding_of("plain") == Encoding::utf8);
  CHECK(encoding_of("") == Encoding::utf8);
  CHECK(encoding_of("größe") == Encoding::utf8);
  CHECK(encoding_of("gr\xf6\xdf"
                    "e und Stra\xdf"
                    "e") == Encoding::cp1252);
  CHECK(encoding_of("it\x92s \x93quoted\x94") == Encoding::cp1252);
  CHECK(encoding_of("odd \x81 byte") == Encoding::latin1);
  CHECK(encoding_of(encoded("这是一个测试文件，用来检查编码。", Encoding::gbk)) == Encoding::gbk);
  CHECK(encoding_of("int x; // " + encoded("初始化变量", Encoding::gbk) + "\n") == Encoding::gbk);
  CHECK(encoding_of(encoded("これはテストです。日本語の文字。", Encoding::shift_jis)) == Encoding::shift_jis);
  CHECK(encoding_of("// " + encoded("設定ファイルを読み込む", Encoding::shift_jis) + "\n") ==
        Encoding::shift_jis);
  CHECK(encoding_of(std::string("h\0i\0!\0\n\0", 8)) == Encoding::utf16le);
  CHECK(encoding_of(std::string("\0h\0i\0!\0\n", 8)) == Encoding::utf16be);
  CHECK(encoding_of(std::string("\x7f"
                                "ELF\2\1\1\0\0\0\0\0\0\0\0\0",
                                16)) == Encoding::binary);
}

TEST_CASE("accented letters side by side are not taken for hanzi") {
  for (std::string_view text : {"/* Gr\xf6\xdf"
                                "e */",
                                "// Configura\xe7\xf5"
                                "es\n",
                                "// CONFIGURA\xc7\xd5"
                                "ES, INFORMA\xc7\xc3O\n",
                                "\xc4\xd6\xdc\xdf \xe4\xf6\xfc", "/* \xc4\xd6 */",
                                "l\x92\xe9"
                                "cole est ferm\xe9"
                                "e",
                                "\xe9t\xe9s", "it\x92s",
                                "a\x97"
                                "b",
                                "[\xc0\xc2\xc9\xc8]", "T\xfb\xfbl", "25 \xb0\xb1 \xa3", "\xbb\xbf",
                                "na\xefve r\xe9sum\xe9, Stra\xdf"
                                "e, Gr\xf6\xdf"
                                "en"}) {
    INFO(text);
    CHECK(encoding_of(text) == Encoding::cp1252);
  }
}

TEST_CASE("short text of the east is still known") {
  for (auto [encoding, text] :
       {std::pair{Encoding::gbk, "// 测试"}, std::pair{Encoding::gbk, "\"配置\""},
        std::pair{Encoding::gbk, "GBK编码转换"}, std::pair{Encoding::gbk, "从A到B的变化"},
        std::pair{Encoding::gbk, "是"}, std::pair{Encoding::gbk, "/* 注释 */"},
        std::pair{Encoding::gbk, "朱镕基总理的讲话"}, std::pair{Encoding::gbk, "int x; // 错误，退出\n"},
        std::pair{Encoding::euc_kr, "// 설정 파일을 읽는다"}, std::pair{Encoding::euc_kr, "안녕하세요"},
        std::pair{Encoding::shift_jis, "// テスト"}, std::pair{Encoding::shift_jis, "ﾃﾞｰﾀ ﾌｧｲﾙ"},
        std::pair{Encoding::shift_jis, "// ｻｰﾊﾞｰ"}, std::pair{Encoding::shift_jis, "ﾃｽﾄ用の設定"}}) {
    INFO(text);
    CHECK(encoding_of(encoded(text, encoding)) == encoding);
  }
}

TEST_CASE("GBK is written as GBK: what only GB18030 has is refused by name") {
  std::string misfit;
  CHECK_FALSE(encode("Maß", Encoding::gbk, misfit));
  CHECK(name_character(misfit) == "ß (U+00DF)");
  CHECK_FALSE(encode("😀", Encoding::gbk, misfit));
  CHECK(TextView("\x81\x30\x89\x38", {.encoding = Encoding::gbk}).text() ==
        "ß");  // but it is read where it stands
}

TEST_CASE("an edit keeps the encoding the file was read in, however little of it is left to see") {
  World world;
  put(world.root / "w", "x = 1 // caf\xe9\n");
  CHECK(has(world.read("w").text, "Windows-1252"));
  CHECK_FALSE(world.edit("w", "café", "cafe").is_error);  // plain ASCII now
  CHECK_FALSE(world.edit("w", "cafe", "thé").is_error);
  CHECK(get(world.root / "w") == "x = 1 // th\xe9\n");
  auto more = world.edit("w", "thé", "Üé");
  CHECK(has(more.diff, "+x = 1 // Üé"));
  CHECK(get(world.root / "w") == "x = 1 // \xdc\xe9\n");
  CHECK_FALSE(world.edit("w", "1 // Üé", "2 // ÄÖÅÂÇÃ").is_error);
  CHECK(has(world.read("w").text, "x = 2 // ÄÖÅÂÇÃ\n[Windows-1252"));
  CHECK_FALSE(world.write("w", "cafe\n").is_error);
  CHECK_FALSE(world.write("w", "ñ\n").is_error);
  CHECK(get(world.root / "w") == "\xf1\n");
  put(world.root / "w", "größe\n");  // somebody converts it: what is there counts again
  CHECK(world.read("w").text == "1\tgröße");
  CHECK_FALSE(world.edit("w", "größe", "中").is_error);
  CHECK(get(world.root / "w") == "中\n");
}

TEST_CASE("a mark is not part of the text") {
  CHECK(detect("\xef\xbb\xbfx").mark == 3);
  CHECK(decoded("\xef\xbb\xbfx") == "x");
  CHECK(decoded(std::string("\xff\xfeh\0i\0", 6)) == "hi");
  CHECK(decoded(std::string("\xfe\xff\0h\0i", 6)) == "hi");
}

TEST_CASE("text survives the way there and back in every encoding") {
  for (auto [encoding, text] :
       {std::pair{Encoding::cp1252, "“smart” – naïve €"}, std::pair{Encoding::latin1, "naïve ÿ"},
        std::pair{Encoding::gbk, "中文abc，镕"}, std::pair{Encoding::shift_jis, "日本語ｶﾅabc"},
        std::pair{Encoding::utf16le, "a😀中"}, std::pair{Encoding::utf16be, "a😀中"}}) {
    INFO(to_string(encoding));
    CHECK(TextView(encoded(text, encoding), {.encoding = encoding}).text() == text);
  }
}

TEST_CASE("what does not fit is named") {
  std::string misfit;
  CHECK_FALSE(encode("a中b", Encoding::cp1252, misfit));
  CHECK(name_character(misfit) == "中 (U+4E2D)");
  CHECK_FALSE(encode("naïve😀", Encoding::shift_jis, misfit));
}

TEST_CASE("positions lead back to the bytes they came from") {
  std::string bytes = "a" + encoded("中文", Encoding::gbk) + "b";
  TextView view(bytes, {.encoding = Encoding::gbk});
  CHECK(view.text() == "a中文b");
  CHECK(view.source(0) == 0);
  CHECK(view.source(1) == 1);
  CHECK(view.source(4) == 3);
  CHECK(view.source(7) == 5);
  CHECK(view.source(8) == 6);
}

TEST_CASE("broken UTF-8 becomes visible and is counted") {
  std::size_t replaced = 0;
  CHECK(to_valid_utf8("a\xff\xc3z\xe2\x82", &replaced) == "a\ufffd\ufffdz\ufffd\ufffd");
  CHECK(replaced == 4);
  CHECK(to_valid_utf8("\xed\xa0\x80") == "\ufffd\ufffd\ufffd");
  CHECK(detect("größe größe größe größe größe \xff").broken == 1);
}
