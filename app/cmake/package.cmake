# What an installation holds, and the packages of it: app/package makes them. The manual page and the completions come from the program
# itself, so that they cannot disagree with it.
include(GNUInstallDirs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # the program alone, not the tests
set(share ${CMAKE_BINARY_DIR}/share)
install(TARGETS tern RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(CODE "
  file(MAKE_DIRECTORY \"${share}\")
  foreach(wanted man \"completion bash\" \"completion zsh\" \"completion fish\")
    string(REPLACE \" \" \"_\" name \"\${wanted}\")
    string(REPLACE \" \" \";\" arguments \"\${wanted}\")
    execute_process(COMMAND \"${CMAKE_BINARY_DIR}/tern\" \${arguments} OUTPUT_FILE \"${share}/\${name}\" RESULT_VARIABLE ended)
    if(NOT ended EQUAL 0)
      message(FATAL_ERROR \"tern \${wanted} ended with \${ended}\")
    endif()
  endforeach()
  configure_file(\"${CMAKE_SOURCE_DIR}/app/package.d/changelog\" \"${share}/changelog.Debian\" COPYONLY)
  execute_process(COMMAND gzip -9nf \"${share}/man\" \"${share}/changelog.Debian\" COMMAND_ERROR_IS_FATAL ANY)
")
install(FILES ${share}/man.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME tern.1.gz)
install(FILES ${share}/completion_bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tern)
install(FILES ${share}/completion_zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _tern)
install(FILES ${share}/completion_fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME tern.fish)
install(FILES ${CMAKE_SOURCE_DIR}/app/package.d/copyright ${share}/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_SOURCE_DIR}/app/package.d/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME tern)

set(CPACK_PACKAGE_NAME tern)
set(CPACK_PACKAGE_CONTACT "the tern authors <authors@tern.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "terminal coding agent for the long haul")
set(CPACK_PACKAGE_DESCRIPTION "tern talks with a language model that reads, edits and runs things
in your project, all day in one conversation: the context is compressed
in view, and every original can be called back.")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)  # the linker has
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libcurl4 | libcurl4t64 | libcurl3-gnutls")  # loaded when it is needed, see agent/models
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "git, ca-certificates")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "poppler-utils")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
