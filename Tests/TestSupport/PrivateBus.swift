import Foundation

/// A real dbus-daemon of the test's own, reached only through `address`.
package final class PrivateBus: Sendable {
    package let address: String
    private let daemon: ChildProcess
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - socket: the path of its socket; nil for any.
    ///   - launcher: a program with arguments that starts it, for example in another namespace.
    package init(socket: String? = nil, launcher: [String] = []) async throws {
        folder = try TemporaryFolder()
        let configuration = folder.path("bus.conf")
        try Self.configuration(listen: socket.map { "unix:path=\($0)" } ?? "unix:dir=\(folder.path)")
            .write(toFile: configuration, atomically: true, encoding: .utf8)
        let command =
            launcher + ["dbus-daemon", "--config-file=\(configuration)", "--nofork", "--print-address"]
        daemon = try ChildProcess(command[0], Array(command.dropFirst()))
        let daemon = daemon
        guard await eventually({ daemon.lines.first?.hasPrefix("unix:") == true }) else {
            throw TestSupportError("dbus-daemon did not start: \(daemon.text)")
        }
        address = daemon.lines[0]
    }

    /// Ends the daemon, as a crash of the bus would.
    package func kill() { daemon.signal(SIGKILL) }

    /// Makes the daemon hang: connections stand and nothing is answered, until `resume`.
    package func pause() { daemon.signal(SIGSTOP) }

    package func resume() { daemon.signal(SIGCONT) }

    private static func configuration(listen address: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>system</type>
          <listen>\(address)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """
    }
}

/// A folder that is removed with the value.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "rowgate-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func path(_ name: String) -> String { path + "/" + name }
}

/// A test's surroundings could not be set up.
package struct TestSupportError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
