import Foundation

/// An authority of a test's own, and certificates that it signs; made by openssl in a folder.
package final class CertificateAuthority: Sendable {
    /// A certificate with its key, both in PEM.
    package struct Identity: Sendable {
        package let certificate: String
        package let key: String
    }

    private let folder: TemporaryFolder
    private let name: String
    package let certificate: String
    private let key: String

    package init(_ name: String = "authority") async throws {
        folder = try TemporaryFolder()
        self.name = name
        certificate = folder.path("\(name).pem")
        key = folder.path("\(name).key")
        try await Self.openssl(
            ["req", "-x509"] + Self.newKey
                + ["-days", "2", "-subj", "/CN=\(name)", "-keyout", key, "-out", certificate])
    }

    /// Signs a certificate for `subject`.
    ///
    /// - Parameters:
    ///   - alternative: the subject's other name, in openssl's notation.
    ///   - days: from now to the end of its validity; negative for an expired certificate.
    package func issue(
        _ subject: String, alternative: String = "IP:127.0.0.1", days: Int = 2
    ) async throws -> Identity {
        let path = { [folder] (suffix: String) in folder.path("\(subject).\(suffix)") }
        try await Self.openssl(
            ["req"] + Self.newKey
                + ["-subj", "/CN=\(subject)", "-keyout", path("key"), "-out", path("csr")])
        try "subjectAltName=\(alternative)\n"
            .write(toFile: path("ext"), atomically: true, encoding: .utf8)
        try await Self.openssl([
            "x509", "-req", "-in", path("csr"), "-CA", certificate, "-CAkey", key,
            "-CAcreateserial", "-days", String(days), "-extfile", path("ext"), "-out", path("pem"),
        ])
        return Identity(certificate: path("pem"), key: path("key"))
    }

    private static let newKey = [
        "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
    ]

    private static func openssl(_ arguments: [String]) async throws {
        let process = try ChildProcess("openssl", arguments)
        guard await process.waitForExit() == 0 else {
            throw TestSupportError("openssl \(arguments[0]) failed: \(process.text)")
        }
    }
}
