// Code that comes over the network and is run before anybody has seen it: "curl … | sh" and its many forms.
#include <algorithm>

#include "agent/gate/command_kinds.h"
#include "agent/gate/programs.h"
#include "compression/text/plain_text.h"

namespace tern {

namespace {

using Words = std::vector<std::string>;

bool is_fetcher(const Words& words) { return has_role(program_name(words.front()), role::fetches); }

// "python3.11" is python.
const Code* interpreter(std::string_view name) {
  const Program* program = program_of(name.substr(0, name.find_last_not_of("0123456789.") + 1));
  return program != nullptr && program->code ? &*program->code : nullptr;
}

bool is_stdin(const std::string& word) { return in_list(word, "- /dev/stdin /dev/fd/0 /proc/self/fd/0"); }

// What a program runs as code: its input, a file or a substitution that is its first operand, or the words
// themselves.
struct Given {
  bool input = false, shell = false;
  std::string file;  // or "<(…)"
  std::string text;  // of "sh -c", "eval"
};

// "awk -f -", "make -f-", "crontab -", "parallel" without a command.
bool takes_program(std::string_view name, const Words& words) {
  if (name == "parallel") return words.size() == 1;
  if (name == "crontab") return words.size() > 1 && is_stdin(words.back());
  if (!in_list(name, "awk gawk mawk nawk make gmake")) return false;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i] == "-f-" || (words[i] == "-f" && i + 1 < words.size() && is_stdin(words[i + 1])))
      return true;
  return false;
}

// Of a shell or an interpreter: its options are read up to the first word that is its code, or a file of it.
Given code_of(const Words& words, bool shell, const Code& options) {
  Given code;
  code.shell = shell;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool option = !word.empty() && (word[0] == '-' || word[0] == '+'), is_long = word.starts_with("--");
    code.input = is_stdin(word);
    if (!code.input && !option) code.file = word;
    if (code.input || !option) return code;
    if (is_long ? in_list(word.substr(0, word.find('=')), options.options)
                : word.find_first_of(options.letters, 1) != word.npos) {
      if (i + 1 < words.size()) code.text = words[i + 1];
      code.input = shell && i + 1 == words.size();  // "xargs sh -c"
      return code;
    }
    code.input = shell && !is_long && word.find('s') != word.npos;
    if (code.input) return code;
    if (shell && in_list(word, "-o +o -O +O --rcfile --init-file")) ++i;
  }
  code.input = true;
  return code;
}

Given code_of(const Words& words) {
  const std::string_view name = program_name(words.front());
  if (has_role(name, role::is_shell)) return code_of(words, true, {"c", ""});
  if (const Code* options = interpreter(name); options != nullptr && !in_list(name, "eval source ."))
    return code_of(words, false, *options);
  Given code;
  code.shell = name == "eval";
  if (code.shell)
    for (std::size_t i = 1; i < words.size(); ++i) code.text += words[i] + " ";
  else if (!in_list(name, "source ."))
    code.input = takes_program(name, words);
  else if (words.size() > 1 && is_stdin(words[1]))
    code.input = true;
  else if (words.size() > 1)
    code.file = words[1];
  return code;
}

bool any_fetcher(const std::vector<Words>& commands) {
  return std::any_of(commands.begin(), commands.end(), is_fetcher);
}

// Does a text with substitutions in it fetch something? `what`: the command that does.
bool fetches(const std::string& text, std::string& what) {
  if (text.find("$(") == text.npos && text.find('`') == text.npos && text.find("<(") == text.npos)
    return false;
  for (const ShellCommand& inner : parse_shell(text).commands)
    if (inner.depth > 0 && any_fetcher(unwrap(inner))) {
      what = inner.joined();
      return true;
    }
  return false;
}

bool is_cluster(const std::string& word) { return word.size() > 1 && word[0] == '-' && word[1] != '-'; }

// The part of an address that a file is named after.
std::string last_part(const std::string& url) {
  const std::string path = url.substr(0, url.find_first_of("?#"));
  return path.substr(path.find_last_of('/') + 1);
}

bool names_by_address(const Words& words) {
  const std::string_view name = program_name(words.front());
  return name.starts_with("wget") || in_list(name, "aria2c scp rsync sftp") ||
         std::any_of(words.begin() + 1, words.end(), [](const std::string& word) {
           return word.starts_with("--remote-name") || (is_cluster(word) && word.find('O') != word.npos);
         });
}

// "-o x", "-ox", "--output=x"
void add_given_files(const Words& words, Words& files) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool letters = is_cluster(word);
    if (const std::size_t equal = word.find('='); word.starts_with("--output") && equal != word.npos)
      files.push_back(word.substr(equal + 1));
    if ((letters && (word.back() == 'o' || word.back() == 'O')) ||
        in_list(word, "--output --output-document --out --download"))
      if (i + 1 < words.size()) files.push_back(words[i + 1]);
    if (letters && word.size() > 2 && (word[1] == 'o' || word[1] == 'O')) files.push_back(word.substr(2));
  }
}

// The files a fetch leaves behind: "-o x", "-ox", "-O url", "wget url", "> x".
Words fetched_files(const ShellCommand& command, const Words& words) {
  Words files;
  add_given_files(words, files);
  if (names_by_address(words))
    for (std::size_t i = 1; i < words.size(); ++i)
      if (!words[i].empty() && words[i][0] != '-') files.push_back(last_part(words[i]));
  if (in_list(program_name(words.front()), "scp rsync") && words.size() > 2) files.push_back(words.back());
  for (const ShellRedirect& r : command.redirects)
    if (r.writes()) files.push_back(r.target.text);
  for (std::string& file : files) file = last_part(file);
  std::erase_if(files, [](const std::string& file) { return file.empty() || file == "." || file == "-"; });
  return files;
}

// Walks the commands of a line in order and remembers what came before.
class Watch {
 public:
  explicit Watch(const ShellScript& script, int depth = 0) : script_(script), depth_(depth) {}

  std::string look(const ShellCommand& command, const std::vector<Words>& started) {
    std::string why;
    for (const Words& words : started) {
      const Given code = code_of(words);
      if (why.empty()) why = runs(command, words, code);
    }
    remember(command, started);
    return why;
  }

 private:
  std::string runs(const ShellCommand& command, const Words& words, const Given& code) {
    std::string what;
    if (fetches(code.file, what) || fetches(code.text, what)) return unseen(what);
    if (std::string why = code.shell ? inside(code.text) : std::string(); !why.empty()) return why;
    if (std::string why = code.input ? reads(command, words) : std::string(); !why.empty()) return why;
    const std::string& program = words.front();
    if (ran_file(code.file) || (program.find('/') != std::string::npos && ran_file(program)))
      return unseen(code.file.empty() ? program : code.file);
    if (!source_.empty() && code.text.find("{}") != std::string::npos)
      return unseen(source_ + " | … " + code.text);
    for (const ShellRedirect& r : command.redirects)
      if (is_connection(r) && code.input) return unseen(r.target.text);
    return connects_program(words);
  }

  // Its input is code.
  std::string reads(const ShellCommand& command, const Words& words) {
    std::string what;
    const bool own =
        std::any_of(command.redirects.begin(), command.redirects.end(),
                    [](const ShellRedirect& r) { return r.op == "<" || r.op.starts_with("<<"); });
    if (!own && !source_.empty()) return unseen(source_ + " | " + words.front());
    if (!own && opened_) return unseen("a connection | " + words.front());
    for (const ShellRedirect& r : command.redirects) {
      if (r.op[0] != '<') continue;
      if (std::string why = inside(r.op == "<<<" ? r.target.text : r.body); !why.empty()) return why;
      if (fetches(r.target.text, what) || fetches("cat <(" + r.body + ")", what) || fetches(r.body, what))
        return unseen(what);
      if (ran_file(r.target.text)) return unseen(r.target.text);
    }
    // "curl x > >(sh)", "curl x | tee >(sh)"
    const auto any = [&](auto test) {
      return std::any_of(script_.commands.begin(), script_.commands.end(), test);
    };
    const bool fed_by_fetch =
        command.depth > 0 &&
        any([](const ShellCommand& other) { return other.source.find(">(") != std::string::npos; }) &&
        any([](const ShellCommand& other) { return any_fetcher(unwrap(other)); });
    return fed_by_fetch ? unseen("its input") : std::string();
  }

  bool fed(const ShellCommand& command) const { return !source_.empty() && in_list(command.before, "| |&"); }
  static bool is_connection(const ShellRedirect& r) {
    return r.target.text.starts_with("/dev/tcp/") || r.target.text.starts_with("/dev/udp/");
  }

  // "sh -c 'curl … | sh'"
  std::string inside(const std::string& text) const {
    if (text.empty() || depth_ > 4) return {};
    const ShellScript script = parse_shell(text);
    Watch watch(script, depth_ + 1);
    for (const ShellCommand& command : script.commands)
      if (std::string why = watch.look(command, unwrap(command)); !why.empty()) return why;
    return {};
  }

  static std::string connects_program(const Words& words) {
    const std::string_view name = program_name(words.front());
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      const bool is_short = word.size() > 1 && word[0] == '-' && word[1] != '-';
      if (in_list(name, "nc ncat netcat") &&
          ((is_short && word.find_first_of("ec") != word.npos) ||
           in_list(word.substr(0, word.find('=')), "--exec --sh-exec --lua-exec")))
        return "runs a program for another machine: " + words.front() + " " + word;
      const std::string lower = lowered(word);
      if (name == "socat" &&
          (lower.starts_with("exec:") || lower.starts_with("system:") || lower.starts_with("shell:")))
        return "runs a program for another machine: socat " + word;
    }
    return {};
  }

  bool ran_file(const std::string& file) const {
    const std::string name = file.substr(file.find_last_of('/') + 1);
    return !name.empty() && std::find(files_.begin(), files_.end(), name) != files_.end();
  }

  void remember(const ShellCommand& command, const std::vector<Words>& started) {
    for (const Words& words : started) {
      const std::string_view name = program_name(words.front());
      if (is_fetcher(words)) {
        source_ = command.joined();
        for (std::string& file : fetched_files(command, words)) files_.push_back(std::move(file));
      } else if (has_role(name, role::decodes) && source_.empty()) {
        source_ = command.joined();
      } else if (fed(command) && name == "tee") {
        for (std::size_t i = 1; i < words.size(); ++i)
          if (!words[i].starts_with("-")) files_.push_back(words[i].substr(words[i].find_last_of('/') + 1));
      } else if (in_list(name, "mv cp install ln") && words.size() > 2) {
        if (std::any_of(words.begin() + 1, words.end() - 1,
                        [&](const std::string& word) { return ran_file(word); }))
          files_.push_back(words.back().substr(words.back().find_last_of('/') + 1));
      }
    }
    if (fed(command))
      for (const ShellRedirect& r : command.redirects)
        if (r.writes()) files_.push_back(r.target.text.substr(r.target.text.find_last_of('/') + 1));
    opened_ = opened_ || std::any_of(command.redirects.begin(), command.redirects.end(), is_connection);
    std::string what;
    if (source_.empty() && fetches(command.source, what)) source_ = what;
  }

  static std::string unseen(const std::string& what) {
    return "runs code that hasn't been looked at: " + what;
  }

  const ShellScript& script_;
  int depth_;
  bool piped_ = false;   // the commands looked at are fed by `source_`
  std::string source_;   // the fetch (or decoding) that the present pipeline began with
  bool opened_ = false;  // "exec 3<>/dev/tcp/…"
  Words files_;          // names of what was fetched
};

}  // namespace

std::string runs_unseen(const ShellScript& script,
                        const std::vector<std::vector<std::vector<std::string>>>& started) {
  Watch watch(script);
  for (std::size_t i = 0; i < script.commands.size() && i < started.size(); ++i)
    if (std::string why = watch.look(script.commands[i], started[i]); !why.empty()) return why;
  return {};
}

}  // namespace tern
