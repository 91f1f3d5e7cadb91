// tiny_model OUT.gguf: a language model of 1 MB whose next token depends on the last one alone. After
// <|call|> it calls Bash, after <|final|> it says that it is done, after <|endless|> it talks until it is
// stopped; tiny_model.jinja chooses. One layer that adds nothing, an embedding that is one-hot, and an output
// matrix that is the table of what follows what: a real server runs it like any other.
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

using Texts = std::vector<std::string>;

constexpr std::uint32_t kContext = 131'072, kHead = 32, kForward = 32, kAlign = 32;
constexpr std::uint32_t kU32 = 4, kI32 = 5, kF32 = 6, kBool = 7, kText = 8,
                        kList = 9;  // types of GGUF values
enum TokenType : std::uint32_t { normal = 1, unknown = 2, control = 3, byte = 6 };

void put(std::string& out, const void* data, std::size_t size) {
  out.append(static_cast<const char*>(data), size);
}
void put32(std::string& out, std::uint32_t value) { put(out, &value, sizeof value); }
void put64(std::string& out, std::uint64_t value) { put(out, &value, sizeof value); }
void put_float(std::string& out, float value) { put(out, &value, sizeof value); }
void put_text(std::string& out, const std::string& text) {
  put64(out, text.size());
  out += text;
}

// The words of the model, and which follows which.
struct Words {
  Texts tokens;
  std::vector<std::uint32_t> types;
  std::map<std::string, std::uint32_t> ids;
  std::map<std::uint32_t, std::uint32_t> next;

  std::uint32_t add(const std::string& token, TokenType type) {
    const auto [at, added] = ids.emplace(token, static_cast<std::uint32_t>(tokens.size()));
    if (added) tokens.push_back(token), types.push_back(type);
    return at->second;
  }
  // Ends with `last`, which may be one of the chain.
  void chain(const std::string& start, const Texts& parts, const std::string& last) {
    std::uint32_t from = add(start, control);
    for (const std::string& part : parts) {
      next[from] = add(part, normal);
      from = next[from];
    }
    next[from] = add(last, ids.contains(last) ? normal : control);
  }
};

Words make_words() {
  const std::string space = "\u2581";  // as this kind of vocabulary writes it
  Words words;
  words.add("<unk>", unknown), words.add("<s>", control), words.add("</s>", control);
  for (int value = 0; value < 256; ++value) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(value));
    words.add(name, byte);
  }
  words.add(space, normal), words.add("<|im_start|>", control), words.add("<|im_end|>", control);
  words.chain("<|call|>",
              {"<tool_call>\n", "{\"name\":" + space + "\"Bash\",",
               space + "\"arguments\":", space + "{\"command\":" + space + "\"", "echo" + space + "tern",
               "-was-here\"}}", "\n</tool_call>"},
              "<|im_end|>");
  words.chain("<|final|>",
              {"All", space + "done", ":" + space + "the", space + "command", space + "ran", "."},
              "<|im_end|>");
  words.chain("<|endless|>", {space + "and", space + "on"}, space + "and");
  return words;
}

// Name, shape and content of each matrix, rows of `columns` values.
struct Tensor {
  std::string name;
  std::uint64_t columns, rows;
  std::function<float(std::uint64_t column, std::uint64_t row)> value;
};

float zero(std::uint64_t, std::uint64_t) { return 0; }
float one(std::uint64_t, std::uint64_t) { return 1; }

std::vector<Tensor> make_tensors(const Words& words, std::uint64_t width) {
  const auto count = words.tokens.size();
  const std::uint32_t end = words.ids.at("<|im_end|>");
  const auto follows = [&words, end](std::uint64_t column, std::uint64_t row) {
    const auto next = words.next.find(static_cast<std::uint32_t>(column));
    return (next == words.next.end() ? end : next->second) == row ? 5.0F : 0.0F;
  };
  std::vector<Tensor> all = {
      {"token_embd.weight", width, count, [](auto column, auto row) { return column == row ? 1.0F : 0.0F; }},
      {"output_norm.weight", width, 1, one},
      {"output.weight", width, count, follows},
      {"blk.0.attn_norm.weight", width, 1, one},
      {"blk.0.ffn_norm.weight", width, 1, one}};
  for (const char* name : {"attn_q", "attn_k", "attn_v"})
    all.push_back({"blk.0." + std::string(name) + ".weight", width, kHead, zero});
  all.push_back({"blk.0.attn_output.weight", kHead, width, zero});
  for (const char* name : {"ffn_gate", "ffn_up"})
    all.push_back({"blk.0." + std::string(name) + ".weight", width, kForward, zero});
  all.push_back({"blk.0.ffn_down.weight", kForward, width, zero});
  return all;
}

struct Header {
  std::string bytes;
  std::uint64_t count = 0;

  void key(const std::string& name, std::uint32_t type) {
    put_text(bytes, name);
    put32(bytes, type);
    ++count;
  }
  void number(const std::string& name, std::uint32_t value) { key(name, kU32), put32(bytes, value); }
  void text(const std::string& name, const std::string& value) { key(name, kText), put_text(bytes, value); }
  void flag(const std::string& name, bool value) { key(name, kBool), bytes += static_cast<char>(value); }
  void real(const std::string& name, float value) { key(name, kF32), put_float(bytes, value); }
  void list(const std::string& name, std::uint32_t type, std::size_t size,
            const std::function<void(std::size_t)>& add) {
    key(name, kList), put32(bytes, type), put64(bytes, size);
    for (std::size_t i = 0; i < size; ++i) add(i);
  }
};

Header make_header(const Words& words, std::uint32_t width) {
  const auto count = words.tokens.size();
  Header header;
  header.text("general.architecture", "llama");
  header.text("general.name", "tern-tiny");
  header.number("general.file_type", 0);
  header.number("llama.context_length", kContext);
  header.number("llama.embedding_length", width);
  header.number("llama.block_count", 1);
  header.number("llama.feed_forward_length", kForward);
  header.number("llama.attention.head_count", 1);
  header.number("llama.attention.head_count_kv", 1);
  header.number("llama.attention.key_length", kHead);
  header.number("llama.attention.value_length", kHead);
  header.number("llama.rope.dimension_count", kHead);
  header.real("llama.attention.layer_norm_rms_epsilon", 1e-5F);
  header.number("llama.vocab_size", static_cast<std::uint32_t>(count));
  header.text("tokenizer.ggml.model", "llama");
  header.list("tokenizer.ggml.tokens", kText, count,
              [&](std::size_t i) { put_text(header.bytes, words.tokens[i]); });
  header.list("tokenizer.ggml.scores", kF32, count, [&](std::size_t) { put_float(header.bytes, 0); });
  header.list("tokenizer.ggml.token_type", kI32, count,
              [&](std::size_t i) { put32(header.bytes, words.types[i]); });
  header.number("tokenizer.ggml.bos_token_id", words.ids.at("<s>"));
  header.number("tokenizer.ggml.eos_token_id", words.ids.at("<|im_end|>"));
  header.number("tokenizer.ggml.unknown_token_id", words.ids.at("<unk>"));
  header.flag("tokenizer.ggml.add_bos_token", false);
  header.flag("tokenizer.ggml.add_space_prefix", false);
  return header;
}

void align(std::string& bytes) { bytes.resize((bytes.size() + kAlign - 1) / kAlign * kAlign); }

std::string make_file(const Words& words) {
  const auto width = static_cast<std::uint32_t>((words.tokens.size() + 63) / 64 * 64);
  const Header header = make_header(words, width);
  const std::vector<Tensor> tensors = make_tensors(words, width);
  std::string file = "GGUF", data;
  put32(file, 3), put64(file, tensors.size()), put64(file, header.count);
  file += header.bytes;
  for (const Tensor& tensor : tensors) {
    align(data);
    const bool flat = tensor.rows == 1;
    put_text(file, tensor.name);
    put32(file, flat ? 1 : 2), put64(file, tensor.columns);
    if (!flat) put64(file, tensor.rows);
    put32(file, 0), put64(file, data.size());
    for (std::uint64_t row = 0; row < tensor.rows; ++row)
      for (std::uint64_t column = 0; column < tensor.columns; ++column)
        put_float(data, tensor.value(column, row));
  }
  align(file), align(data);
  return file + data;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: tiny_model OUT.gguf\n", 2;
  const std::string file = make_file(make_words());
  std::ofstream out(argv[1], std::ios::binary);
  out.write(file.data(), static_cast<std::streamsize>(file.size()));
  return out.flush() ? 0 : 1;
}
