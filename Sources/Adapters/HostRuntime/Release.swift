/// The version of this release, for `--version` of each program and for the daemon's messages.
package enum Release {
    /// Equal to the upstream part of the newest entry in the package's changelog.
    package static let version = "0.1.0"

    // packaging/build-deb sets it in the sources that it builds.
    private static let commit: String? = nil
    private static let compiler: String? = nil

    /// Version and build: `0.1.0 (commit 1a2b3c4d5e6f, Swift 6.0.3, arm64)`.
    package static let facts: String = {
        let origin = commit.map { "commit \($0)" } ?? "not built as a package"
        let parts = [origin, compiler.map { "Swift \($0)" }, architecture]
        return "\(version) (\(parts.compactMap(\.self).joined(separator: ", ")))"
    }()

    /// Debian's name of the architecture.
    private static var architecture: String {
        #if arch(arm64)
        "arm64"
        #elseif arch(x86_64)
        "amd64"
        #else
        "unknown architecture"
        #endif
    }
}
