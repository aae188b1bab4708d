import Bytes
import CCrypto
import CMosquitto

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
