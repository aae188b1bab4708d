/// This release, for `--version` of each program and the daemon's replies.
package enum Release {
    /// Equal to the upstream part of the newest entry in the package's changelog.
    package static let version = "0.1.0"
}
