import Glibc

/// Reads the configuration by running the daemon's program.
package struct ConfigurationProbe: Sendable {
    /// The default configuration file of the daemon.
    package static let defaultConfiguration = "/etc/rowgate/rowgate.toml"

    private let program: String
    private let configuration: String

    /// - Parameters:
    ///   - program: the daemon, `/usr/sbin/rowgate`.
    ///   - configuration: the file to look at.
    package init(program: String, configuration: String) {
        self.program = program
        self.configuration = configuration
    }

    /// ` --config PATH`, or nothing for the file that programs read anyway.
    var option: String {
        configuration == Self.defaultConfiguration ? "" : " --config \(configuration)"
    }

    func facts() -> ConfigurationFacts {
        guard access(configuration, R_OK) == 0 || errno != EACCES else {
            return .unknown(
                reason: "\(configuration) may not be read by this user",
                remedy: "sudo rowgatectl doctor\(option)")
        }
        let arguments = ["--config", configuration]
        guard let check = ChildOutput(running: program, arguments + ["--check-config"]) else {
            return .unknown(
                reason: "\(program) cannot be run: \(String(cString: strerror(errno)))",
                remedy: "sudo apt install --reinstall rowgate")
        }
        let remarks = check.errors.split(separator: "\n").map(String.init)
        guard check.status == 0 else { return .invalid(problems: remarks) }
        return .valid(
            EffectiveSettings(printed: printed()),
            warnings: remarks.filter { $0.hasPrefix("warning: ") }.map { String($0.dropFirst(9)) })
    }

    /// Returns all effective values, or the errors in the files.
    func printed() -> String {
        let output = ChildOutput(
            running: program, ["--config", configuration, "--print-config"])
        return output.map { $0.text + $0.errors } ?? "\(program) cannot be run\n"
    }
}
