import Bytes
import CCrypto
import CMosquitto
import Glibc
import Timeline

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

/// Why a TLS handshake failed, and what helps: OpenSSL's messages do not say which side is at
/// fault.
struct TLSDiagnosis: Equatable {
    var cause: String
    var remedy: String?

    /// Creates a diagnosis from an error line of libmosquitto, while its session still exists.
    ///
    /// Returns nil if the line does not concern certificates.
    /// - Parameters:
    ///   - verification: the result of `SSL_get_verify_result` for the broker's certificate.
    ///   - host: as configured; a name in the broker's certificate must match it.
    init?(line: String, verification: Int32, host: String) {
        if line.contains("host name verification failed") {
            self.init(otherThan: host)
        } else if verification != X509_V_OK {
            self.init(verification: verification)
        } else {
            self.init(line: line)
        }
    }

    private init(otherThan host: String) {
        cause = "the broker's certificate is for another name than \(host)"
        remedy = "set broker.host to a name that stands in the certificate"
    }

    /// From the codes of X509_STORE_CTX_get_error(3).
    private init(verification: Int32) {
        switch verification {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            cause = "the broker's certificate, or one above it, has expired"
            remedy = "renew it, or set this machine's clock"
        case X509_V_ERR_CERT_NOT_YET_VALID:
            cause = "the broker's certificate, or one above it, is not valid yet"
            remedy = "set this machine's clock"
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_CERT_SIGNATURE_FAILURE,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            cause = "the broker's certificate is not signed by an authority that is trusted here"
            remedy = "set broker.ca_file to the authority that signed it"
        default:
            let words = String(cString: X509_verify_cert_error_string(Int(verification)))
            cause = "the broker's certificate is not accepted: \(words)"
        }
    }

    /// From the broker's alert (RFC 8446, 6.2), or from other data in place of TLS.
    private init?(line: String) {
        if line.contains("certificate required") || line.contains("alert handshake failure") {
            cause = "the broker wants a client certificate"
            remedy = "set broker.cert_file and broker.key_file"
        } else if line.contains("alert certificate expired") {
            cause = "the broker says that our certificate has expired"
            remedy = "renew broker.cert_file"
        } else if ["unknown ca", "bad certificate", "certificate unknown", "decrypt error"]
            .contains(where: { line.contains("alert " + $0) })
        {
            cause = "the broker refuses our certificate"
            remedy = "use a broker.cert_file that is signed by the broker's authority"
        } else if ["wrong version number", "packet length too long", "unexpected eof"]
            .contains(where: line.contains)
        {
            // A broker that finds no CONNECT in the first bytes ends the connection.
            cause = "the broker does not speak TLS on this port"
            remedy = "check broker.port (8883 is usual for TLS), or set broker.tls = false"
        } else {
            return nil
        }
    }
}
