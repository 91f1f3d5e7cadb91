#include "tools/workspace/workspace.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "tests/tools/world.h"
#include "tools/workspace/file.h"
#include "tools/workspace/protected_names.h"

using namespace tern;
using namespace tern::testing;

TEST_CASE("inside and outside are decided by component") {
  World world;
  World::make(world.temp.path() / "project-evil");
  auto inside = [&](std::string path) { return world.workspace.locate(path).inside; };
  CHECK(inside("a.txt"));
  CHECK(inside("new/deep/file"));
  CHECK(inside("src/../a.txt"));
  CHECK(inside(world.root.native()));
  CHECK(inside("file://" + (world.root / "a").native()));
  CHECK_FALSE(inside("../project-evil/x"));
  CHECK_FALSE(inside(world.root.native() + "-evil/x"));
  CHECK_FALSE(inside("src/../../outside/x"));
  CHECK_FALSE(inside("/etc/passwd"));
  CHECK_FALSE(inside("~/x"));
}

TEST_CASE("links are followed before the decision, also half-way and when the end is missing") {
  World world;
  fs::create_symlink(world.outside, world.root / "out");
  fs::create_symlink(world.outside / "missing", world.root / "dangling");
  fs::create_symlink("loop2", world.root / "loop1");
  fs::create_symlink("loop1", world.root / "loop2");
  fs::create_symlink("a", world.root / "ordinary");
  CHECK_FALSE(world.workspace.locate("out/x/y").inside);
  CHECK_FALSE(world.workspace.locate("dangling").inside);
  CHECK(world.workspace.locate("ordinary").inside);
  CHECK(world.workspace.locate("ordinary").through_link);
  CHECK(has(world.workspace.locate("loop1").error, "links"));
}

TEST_CASE("what is no path is refused as one") {
  World world;
  CHECK_FALSE(world.workspace.locate(std::string_view("a\0b", 3)).error.empty());
  CHECK_FALSE(world.workspace.locate(std::string(5000, 'x')).error.empty());
}

TEST_CASE("extra directories are inside, and shown absolute") {
  World world;
  CHECK_FALSE(world.workspace.locate((world.outside / "x").native()).inside);
  world.workspace.add_dir(world.outside);
  CHECK(world.workspace.locate((world.outside / "x").native()).inside);
  CHECK(world.workspace.display(world.outside / "x") == (world.outside / "x").native());
  CHECK(world.workspace.display(world.root / "src/a") == "src/a");
  CHECK(world.workspace.display(world.root) == ".");
}

TEST_CASE("relative paths start in the working directory, then in the root") {
  World world;
  put(world.root / "src/a", "");
  put(world.root / "b", "");
  REQUIRE(world.workspace.set_cwd(world.root / "src"));
  CHECK(world.workspace.locate("a").real == world.root / "src/a");
  CHECK(world.workspace.locate("b").real == world.root / "b");
  CHECK(world.workspace.locate("new").real == world.root / "src/new");
  CHECK_FALSE(world.workspace.set_cwd(world.outside));
  CHECK(world.workspace.cwd() == world.root / "src");
}

namespace {

// As on a kernel that has no openat2, for this thread and what it starts.
bool without_openat2() {
  sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),  // the number of the call
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{4, program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

void swapped_links_are_not_followed() {
  World world;
  put(world.root / "d/f", "inside");
  put(world.outside / "f", "secret");
  Place place = world.workspace.locate("d/f");
  REQUIRE(place.inside);
  fs::remove_all(world.root / "d");
  fs::create_directory_symlink(world.outside, world.root / "d");
  CHECK_FALSE(world.workspace.open(place, O_RDONLY));
  CHECK_FALSE(world.workspace.open_parent(place));
  fs::remove(world.root / "d");
  put(world.root / "d/f", "inside");
  CHECK(world.workspace.open(place, O_RDONLY));
  fs::remove(world.root / "d/f");
  fs::create_symlink(world.outside / "f", world.root / "d/f");
  CHECK_FALSE(world.workspace.open(place, O_RDONLY));
}

// What a path of an earlier decision could be turned into before it is opened.
void forged_places_stay_beneath() {
  World world;
  put(world.root / "d/e/f", "inside");
  put(world.outside / "f", "secret");
  fs::create_symlink(world.outside, world.root / "out");
  fs::create_symlink("../../outside/f", world.root / "d/up");
  fs::create_symlink("/proc/self/root/etc/passwd", world.root / "magic");
  const auto opens = [&](const std::string& below, int flags) {
    Place place;
    place.real = world.root.native() + "/" + below;
    return static_cast<bool>(world.workspace.open(place, flags, 0600));
  };
  CHECK(opens("d/e/f", O_RDONLY));
  CHECK(opens("d/new", O_WRONLY | O_CREAT | O_EXCL));
  CHECK(opens("d", O_RDONLY | O_DIRECTORY));
  for (const char* path :
       {"out/f", "out", "d/up", "magic", "../outside/f", "d/../../outside/f", "d/e/../../../outside/f",
        "d/.."
        "/../outside/f"}) {
    INFO(path);
    CHECK_FALSE(opens(path, O_RDONLY));
    CHECK_FALSE(opens(path, O_WRONLY));
  }
  CHECK_FALSE(opens("out/new", O_WRONLY | O_CREAT));
  CHECK_FALSE(fs::exists(world.outside / "new"));
}

}  // namespace

TEST_CASE("a link swapped in after the decision is not followed") {
  swapped_links_are_not_followed();
  forged_places_stay_beneath();
}

TEST_CASE("without openat2 every component is opened from the one before, and nothing gets out either") {
  bool filtered = false, missing = false;
  std::thread([&] {
    filtered = without_openat2();
    missing = ::syscall(SYS_openat2, AT_FDCWD, "/", nullptr, 0) < 0 && errno == ENOSYS;
    if (!filtered || !missing) return;
    swapped_links_are_not_followed();
    forged_places_stay_beneath();
    World world;
    put(world.root / "deep/er/f", "one\n");
    CHECK_FALSE(world.read("deep/er/f").is_error);
    CHECK_FALSE(world.edit("deep/er/f", "one", "two").is_error);
    CHECK(get(world.root / "deep/er/f") == "two\n");
    CHECK_FALSE(world.write("new/folder/file", "x\n").is_error);
  }).join();
  if (!filtered) SKIP("this machine allows no seccomp filter");
  CHECK(missing);
}

TEST_CASE("names are folded as other file systems fold them") {
  CHECK(fold_name(".GIT") == ".git");
  CHECK(fold_name(".g\u200cit") == ".git");
  CHECK(fold_name(".git. ") == ".git");
  CHECK(fold_name(".git::$INDEX_ALLOCATION") == ".git");
  CHECK(fold_name(".hu\u017fKy") == ".husky");
  CHECK(fold_name("..") == "..");
}

namespace {

struct Protected {
  std::string path;  // below the workspace
  bool directory;    // its name stands for everything below it
};

const std::vector<std::string> protected_paths = {
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/info/attributes",
    ".git/HEAD",
    ".compression/config.json",
    ".compression/tern.db",
    ".bashrc",
    ".zshenv",
    ".profile",
    ".husky/pre-push",
    ".vscode/tasks.json",
    "bare.git/hooks/update",
};

void make_bare(const fs::path& directory) {
  put(directory / "HEAD", "ref: refs/heads/main\n");
  fs::create_directories(directory / "objects");
  fs::create_directories(directory / "refs");
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Each route tries to write `path`; true when it was refused.
using Route = bool (*)(World&, const std::string& path);
bool by_write(World& world, const std::string& path) { return world.write(path, "evil\n").is_error; }

const std::pair<const char*, Route> routes[] = {
    {"Write", by_write},
    {"Write absolute", [](World& w, const std::string& p) { return by_write(w, (w.root / p).native()); }},
    {"Write with dots", [](World& w, const std::string& p) { return by_write(w, "x/.././" + p); }},
    {"Write with double slashes", [](World& w, const std::string& p) { return by_write(w, ".//" + p); }},
    {"Write, other case",
     [](World& w, const std::string& p) {
       return by_write(w, p[0] == 'b' ? p
                                      : upper(p.substr(0, p.find('/'))) +
                                            (p.find('/') == p.npos ? "" : p.substr(p.find('/'))));
     }},
    {"Write, invisible character",
     [](World& w, const std::string& p) {
       return by_write(w, p[0] == 'b' ? p : p.substr(0, 2) + "\u200d" + p.substr(2));
     }},
    {"Edit", [](World& w, const std::string& p) { return w.read(p), w.edit(p, "old", "evil").is_error; }},
    {"Edit as creation",
     [](World& w, const std::string& p) {
       return w.edit(p + ".new", "", "evil").is_error || p.find('/') == p.npos;
     }},
    {"MultiEdit",
     [](World& w, const std::string& p) {
       w.read(p);
       return w
           .run("MultiEdit", {{"file_path", p}, {"edits", {{{"old_string", "old"}, {"new_string", "evil"}}}}})
           .is_error;
     }},
    {"Write through a link to the file",
     [](World& w, const std::string& p) {
       fs::create_symlink(w.root / p, w.root / "innocent.txt");
       w.read("innocent.txt");
       return by_write(w, "innocent.txt");
     }},
    {"Write through a link to its directory",
     [](World& w, const std::string& p) {
       fs::create_directory_symlink((w.root / p).parent_path(), w.root / "innocent");
       return by_write(w, "innocent/" + fs::path(p).filename().native());
     }},
    {"Edit of a hard link",
     [](World& w, const std::string& p) {
       std::error_code ec;
       fs::create_hard_link(w.root / p, w.root / "twin.txt", ec);
       if (ec) return true;  // nothing there to alias
       w.read("twin.txt");
       return w.edit("twin.txt", "old", "evil").is_error;
     }},
};

}  // namespace

TEST_CASE("twelve ways to write twelve protected files: none is silent") {
  int tried = 0;
  for (const auto& [name, route] : routes) {
    for (const auto& path : protected_paths) {
      for (bool exists : {true, false}) {
        World world;
        make_bare(world.root / "bare.git");
        fs::create_directories((world.root / path).parent_path());
        if (exists) put(world.root / path, "old\n");
        INFO(name << " on " << path << (exists ? "" : " (missing)"));
        bool refused = route(world, path);
        CHECK(refused);
        CHECK(get(world.root / path) == (exists ? "old\n" : ""));
        ++tried;
      }
    }
  }
  CHECK(tried == 288);
}

TEST_CASE("a granted call may write what is protected, and outside") {
  World world;
  put(world.root / ".git/config", "old\n");
  world.granted = true;
  world.read(".git/config");
  CHECK_FALSE(world.edit(".git/config", "old", "new").is_error);
  CHECK_FALSE(world.write((world.outside / "x").native(), "y").is_error);
  world.granted = false;
  CHECK(world.write((world.outside / "x2").native(), "y").is_error);
  CHECK(world.read((world.outside / "x").native()).is_error);
}

TEST_CASE("a file that only begins like an image is none") {
  for (const char* head : {"", "R", "RIFF", "RIFF1234", "RIFF1234WEB", "GIF", "\xff\xd8"})
    CHECK(image_media_type(head).empty());
  CHECK(image_media_type("RIFF1234WEBP") == "image/webp");
}
