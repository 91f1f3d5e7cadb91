#include "agent/gate/effects.h"

#include <algorithm>

#include "agent/gate/command_kinds.h"
#include "agent/gate/git_call.h"

namespace tern {

namespace {

using Words = std::vector<std::string>;

constexpr std::string_view files = "writes files", net = "needs the network", git_writes = "writes .git";

constexpr ProgramRow rows[] = {
    // git
    {"git", "clone fetch pull push ls-remote submodule send-email svn p4 lfs", Effects::network, net,
     "git -C x push origin main"},
    {"git", "add commit checkout switch merge rebase reset restore stash cherry-pick revert tag branch mv rm am notes gc",
     Effects::repository, git_writes, "git commit -m x"},
    {"git", "config init worktree update-ref symbolic-ref remote replace filter-branch hook maintenance bisect", Effects::machine,
     "changes how git works here", "git config user.name x"},
    {"git", "apply clean checkout-index read-tree archive format-patch bundle", Effects::writes, files, "git apply x.patch"},
    // other machines
    {"curl wget wget2 aria2c http https xh ssh scp sftp ftp lftp telnet nc ncat netcat socat ping dig nslookup host whois "
     "traceroute "
     "gh glab hub aws gcloud gsutil az fly heroku vercel netlify doctl terraform tofu pulumi kubectl helm rclone",
     "", Effects::network, net, "curl -s https://example.com/x"},
    {"npm pnpm yarn bun",
     "install i ci add remove rm uninstall un update up upgrade outdated audit publish login link dlx create view info search "
     "dedupe x",
     Effects::network, net, "npm ci"},
    {"pip pip3 pipx uv poetry pdm conda mamba pipenv",
     "install uninstall download sync add remove lock update upgrade search publish tool", Effects::network, net,
     "pip install x"},
    {"cargo", "add remove install uninstall update search publish fetch login vendor", Effects::network, net, "cargo add serde"},
    {"go", "get install", Effects::network, net, "go get x"},
    {"gem bundle composer mix hex stack cabal opam nuget pod carthage vcpkg conan",
     "install add update upgrade require fetch get deps.get push publish remove uninstall", Effects::network, net,
     "bundle install"},
    {"dotnet", "restore add remove tool nuget", Effects::network, net, "dotnet restore"},
    // this machine
    {"sudo doas su pkexec runuser gosu chroot", "", Effects::machine, "runs with other rights", "sudo ls"},
    {"docker podman nerdctl docker-compose systemctl service launchctl journalctl tmux screen zellij systemd-run crontab at "
     "loginctl dbus-send gdbus notify-send kill pkill killall mount umount modprobe sysctl",
     "", Effects::machine, "controls services or containers on this machine", "docker ps"},
    {"apt apt-get dpkg dnf yum rpm apk pacman brew port snap flatpak nix nix-env winget choco update-alternatives", "",
     Effects::machine, "changes this machine's packages", "apt-get install -y x"},
    {"open xdg-open code subl cursor explorer.exe start osascript pbcopy pbpaste xclip wl-copy", "", Effects::machine,
     "starts a program of this desktop", "open x.html"},
    {"ss netstat ip ifconfig lsof fuser nvidia-smi dmesg lsblk lsusb lspci top htop pstree pgrep pidof", "", Effects::machine,
     "looks at what no sandbox shows", "lsof -i :3000"},
    // files
    {"cp mv rm mkdir rmdir touch ln tee install truncate dd chmod chown chgrp setfacl patch unlink shred zip unzip gunzip gzip "
     "bzip2 xz 7z tar bsdtar split csplit sponge mkfifo rsync ed ex unrar",
     "", Effects::writes, files, "cp a b"},
    {"make gmake ninja meson bazel bazelisk gradle gradlew mvn mvnw ant sbt scons xcodebuild msbuild rake gulp grunt gcc g++ cc "
     "c++ clang clang++ rustc javac swiftc ld ar webpack vite rollup esbuild parcel",
     "", Effects::writes, "builds", "make -j4"},
    {"cmake", "-B -S --build --install --preset . ..", Effects::writes, "builds", "cmake --build build"},
    {"cargo", "build test check run clippy bench doc fix fmt clean new init", Effects::writes, "builds", "cargo test"},
    {"go", "generate fmt clean mod work", Effects::writes, files, "go mod tidy"},
    {"swift dotnet", "build test run package publish clean new pack", Effects::writes, "builds", "dotnet build"},
    {"mix stack cabal dune", "build compile test clean new format", Effects::writes, "builds", "stack build"},
    {"npm pnpm yarn bun", "build start dev init version pack", Effects::writes, files, "pnpm build"},
    {"uv poetry pdm", "build init venv", Effects::writes, files, "uv venv"},
};

// Words with which a program that otherwise looks writes what it looked at.
struct WritingOption {
  std::string_view programs, options, letters;
};
constexpr WritingOption writing_options[] = {
    {"sed perl", "--in-place -pi -i.bak", "i"},
    {"gofmt gofumpt goimports shfmt prettier", "--write -w", ""},
    {"eslint ruff stylelint golangci-lint biome fieldalignment modernize cargo rubocop ktlint phpcbf standard",
     "--fix -fix --write -A", ""},
    {"clang-format autopep8 yapf", "--in-place -i", ""},
    {"sort", "-o --output", ""},
};
// Every address that it names is this machine's: in a sandbox it reaches what the same line has started.
bool stays_here(const Words& words) {
  bool here = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t scheme = words[i].find("://");
    const std::string_view rest = std::string_view(words[i]).substr(scheme == std::string::npos ? 0 : scheme + 3);
    const bool own =
        in_list(rest.substr(0, rest.find_first_of(":/?")), "localhost 127.0.0.1 0.0.0.0") || rest.starts_with("[::1]");
    if (scheme != std::string::npos && !own) return false;
    here = here || own;
  }
  return here;
}
constexpr ProgramRow to_itself{"", "", Effects::writes, "connects to this machine", ""};
constexpr ProgramRow by_option{"", "", Effects::writes, files, ""};
constexpr ProgramRow by_script{"", "", Effects::writes, files, ""};
constexpr ProgramRow by_formatter{"black isort rustfmt", "", Effects::writes, files, "black src"};

bool has_letter(const std::string& word, std::string_view letters) {
  return !letters.empty() && word.size() > 1 && word[0] == '-' && word[1] != '-' &&
         word.find_first_of(letters, 1) != std::string::npos;
}

bool writes_by_option(std::string_view name, const Words& words) {
  for (const WritingOption& row : writing_options)
    if (in_list(name, row.programs))
      return std::any_of(words.begin() + 1, words.end(), [&](const std::string& word) {
        return in_list(word.substr(0, word.find('=')), row.options) || has_letter(word, row.letters);
      });
  return false;
}

// A script of package.json by a name that says it writes: "npm run build", "bun run lint:fix".
bool runs_writing_script(std::string_view name, const Words& words) {
  if (!in_list(name, "npm pnpm yarn bun") || words.size() < 3 || !in_list(words[1], "run run-script")) return false;
  for (const char* part :
       {"build", "fix", "format", "fmt", "generate", "codegen", "dev", "start", "watch", "clean", "release", "deploy"})
    if (words[2].find(part) != std::string::npos) return true;
  return false;
}

// The verb; of git, what stands before it is passed over.
std::string verb_of(std::string_view name, const Words& words) {
  if (name != "git") return words.size() > 1 ? words[1] : std::string();
  const GitCall call = git_call(words);
  return call.words.empty() ? std::string() : call.words.front();
}

}  // namespace

std::span<const ProgramRow> program_rows() { return rows; }

const ProgramRow* row_of(const Words& words) {
  if (words.empty()) return nullptr;
  const std::string_view name = program_name(words.front());
  if (name == "git" && only_looks(git_call(words))) return nullptr;
  if (in_list(name, "curl wget wget2 http https xh") && stays_here(words)) return &to_itself;
  const std::string verb = verb_of(name, words);
  for (const ProgramRow& row : rows)
    if (in_list(name, row.programs) && (row.verbs.empty() || in_list(verb, row.verbs))) return &row;
  if (writes_by_option(name, words)) return &by_option;
  if (runs_writing_script(name, words)) return &by_script;
  const bool checks = std::any_of(words.begin() + 1, words.end(),
                                  [](const std::string& word) { return in_list(word, "--check --diff -c --version --help -h"); });
  return in_list(name, by_formatter.programs) && !checks ? &by_formatter : nullptr;
}

std::string said_of(const ProgramRow& row, const Words& words) {
  std::string text(program_name(words.front()));
  if (!row.verbs.empty()) text += " " + verb_of(text, words);
  return text + " " + std::string(row.does_what);
}

}  // namespace tern
