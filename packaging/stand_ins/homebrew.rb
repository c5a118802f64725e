# As much of Homebrew as a formula needs to say what it installs: ruby homebrew.rb FORMULA FOLDER
# Every file that it names has to be in FOLDER, which is an unpacked archive.
class Place
  @@files = 0
  def self.files = @@files

  def install(given)
    names = given.is_a?(Hash) ? given.keys : Array(given)
    abort 'a pattern finds no file' if names.empty?
    names.each { |name| abort "there is no #{name}" unless File.file?(name) }
    @@files += names.length
  end
end

class Formula
  %i[desc homepage version license url sha256 test].each { |name| define_singleton_method(name) { |*_, **_, &_| } }
  %i[on_macos on_linux on_arm on_intel].each { |name| define_singleton_method(name) { |&block| block.call } }
  %i[bin man1 bash_completion fish_completion zsh_completion].each { |name| define_method(name) { Place.new } }
end

load File.expand_path(ARGV[0])
Dir.chdir(ARGV[1]) { Certus.new.install }
puts "the formula installs #{Place.files} files"
