# Builds tern from the source archive beside this file. The pinned libraries come as resources, so that the build fetches nothing itself.
class Tern < Formula
  desc "Terminal coding agent for the long haul"
  homepage "file://#{__dir__}"
  url "file://#{__dir__}/tern-@VERSION@-source.tar.gz"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "curl"
  depends_on "gumbo-parser"
  depends_on :linux
  depends_on "md4c"
  depends_on "openssl@3"
  depends_on "pcre2"
  depends_on "utf8proc"
  depends_on "zstd"

@RESOURCES@
  def install
    ENV["XDG_CACHE_HOME"] = buildpath/"cache"
    downloads = buildpath/"cache/tern/dl"
    downloads.mkpath
    { @FILES@ }.each do |name, file|
      cp resource(name).cached_download, downloads/file
    end
    system "app/run", "--build-only"
    system "cmake", "--install", "build", "--prefix", prefix
  end

  test do
    assert_match "Demo finished", shell_output("#{bin}/tern --demo -p hello")
  end
end
