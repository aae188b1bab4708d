import CCrypto
import Glibc

/// A problem with one of the files for TLS.
package struct TLSFileFault: Equatable, Sendable {
    /// Which of the three files.
    package enum File: Sendable { case authority, certificate, key }

    /// The unusable file.
    package var file: File
    /// The reason, to follow the name of the file's setting.
    package var reason: String
    /// What to do; nil for no advice.
    package var suggestion: String?
}

extension BrokerConfiguration.TLSConfiguration {
    /// Reads the files as a connection would, and returns the problems; empty if there are none.
    /// Dates are not checked: the clock of a machine that has just started may be wrong.
    package func faults() -> [TLSFileFault] {
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            preconditionFailure("OpenSSL makes no TLS context")
        }
        defer { SSL_CTX_free(context) }
        var faults: [TLSFileFault] = []
        func check(_ file: TLSFileFault.File, _ path: String?, _ use: (String) -> TLSFileFault?) {
            guard let path else { return }
            let unreadable = Self.unreadable(path)
                .map { TLSFileFault(file: file, reason: $0.reason, suggestion: $0.suggestion) }
            if let fault = unreadable ?? use(path) { faults.append(fault) }
        }
        check(.authority, authorityFile) { path in
            SSL_CTX_load_verify_locations(context, path, nil) == 1
                ? nil : Self.noCertificate(.authority, path)
        }
        check(.certificate, certificateFile) { path in
            SSL_CTX_use_certificate_chain_file(context, path) == 1
                ? nil : Self.noCertificate(.certificate, path)
        }
        let hasCertificate = certificateFile != nil && faults.allSatisfy { $0.file == .authority }
        check(.key, keyFile) { path in Self.key(path, in: context, withCertificate: hasCertificate) }
        return faults
    }

    private static func noCertificate(_ file: TLSFileFault.File, _ path: String) -> TLSFileFault {
        TLSFileFault(
            file: file, reason: "\(path) holds no certificate in PEM form",
            suggestion: "give one that begins with -----BEGIN CERTIFICATE-----")
    }

    private static func key(
        _ path: String, in context: OpaquePointer, withCertificate hasCertificate: Bool
    ) -> TLSFileFault? {
        // OpenSSL would ask on the terminal.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
        ERR_clear_error()
        let isLoaded = SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM) == 1
        if isLoaded { return nil }
        let code = ERR_peek_error()
        if hasCertificate, code >> 23 & 0xFF == UInt(ERR_LIB_X509) {
            return TLSFileFault(
                file: .key, reason: "\(path) is not the key of the certificate in cert_file",
                suggestion: "give the two that were made together")
        }
        return TLSFileFault(
            file: .key,
            reason: "\(path) holds no private key that can be read without a passphrase",
            suggestion: "remove the passphrase, and let systemd keep the key: LoadCredential=")
    }

    private static func unreadable(_ path: String) -> (reason: String, suggestion: String?)? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return nil
        }
        let code = errno
        let suggestion: String? =
            switch code {
            case EACCES: "make it readable to the user that rowgate runs as"
            case ENOENT, ENOTDIR: "put it there, or give the right path"
            default: nil
            }
        return ("\(path) cannot be read: \(String(cString: strerror(code)))", suggestion)
    }
}
