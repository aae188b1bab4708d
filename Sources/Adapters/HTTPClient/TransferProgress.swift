import CCurl
import Glibc

/// What is known about a transfer that has failed.
struct TransferProgress {
    /// How a transfer ended.
    enum End: Equatable {
        /// libcurl's result.
        case completed(CURLcode)
        case cancelled
    }

    var isTooLarge = false
    /// Whether an address was refused because it is not public.
    var hasRefusedAddress = false
    /// Whether a socket for a permitted address was opened.
    var hasOpenedSocket = false
    var mayHaveReachedServer = false
    /// errno(3) of the last connection; 0 if unknown.
    var systemError: Int32 = 0
    /// The result of X509_verify_cert(3); 0 for a valid chain.
    var verification = 0
    /// The proxy's answer to CONNECT; 0 if there is none.
    var proxyStatus = 0

    private enum Code {
        /// CURLE_TOO_LARGE of libcurl 8.6: the headers of the answer.
        static let tooLarge = CURLcode(100)
    }

    /// Returns the failure without libcurl's own text, which may contain parts of the request or the answer.
    func failure(
        _ end: End, host: String, proxyHost: String?, _ settings: HTTPClient.Settings
    ) -> HTTPFailure {
        func failure(
            _ kind: HTTPFailure.Kind, _ cause: String, _ remedy: String = "", at failed: String? = nil
        ) -> HTTPFailure {
            HTTPFailure(
                kind, host: failed ?? host, cause: cause, remedy: remedy,
                mayHaveReachedServer: mayHaveReachedServer)
        }
        guard case .completed(let code) = end else { return failure(.stopped, "request cancelled") }
        if !mayHaveReachedServer, proxyStatus != 0, proxyStatus / 100 != 2 {
            return failure(
                .unreachable, "the proxy refused a connection to \(host) with status \(proxyStatus)",
                "check the proxy", at: proxyHost)
        }
        switch code {
        case CURLE_WRITE_ERROR where isTooLarge:
            return failure(
                .answerTooLarge, "the answer has more than \(settings.maximumAnswerSize) bytes",
                "check the address")
        case Code.tooLarge:
            return failure(.answerTooLarge, "the headers of the answer are too large", "check the address")
        case CURLE_COULDNT_RESOLVE_HOST:
            return failure(.nameNotFound, "name not found", "check the address and the name server (DNS)")
        case CURLE_COULDNT_RESOLVE_PROXY:
            return failure(
                .nameNotFound, "name of the proxy not found", "check the proxy and the name server (DNS)",
                at: proxyHost)
        case CURLE_COULDNT_CONNECT where hasRefusedAddress && !hasOpenedSocket:
            return .privateAddress(host)
        case CURLE_COULDNT_CONNECT where systemError != 0:
            return failure(
                .unreachable, "not reachable: \(String(cString: strerror(systemError)))",
                "check the network and the address", at: proxyHost)
        case CURLE_COULDNT_CONNECT:
            return failure(
                .unreachable, "not reachable", "check the network and the address", at: proxyHost)
        case CURLE_OPERATION_TIMEDOUT where mayHaveReachedServer:
            return failure(.timedOut, "no complete answer within \(Self.text(settings.totalTimeout))")
        case CURLE_OPERATION_TIMEDOUT:
            let limit = min(settings.connectTimeout, settings.totalTimeout)
            return failure(
                .timedOut, "no connection within \(Self.text(limit))", "check the network", at: proxyHost)
        case CURLE_PEER_FAILED_VERIFICATION: return certificateFailure(failure)
        case CURLE_SSL_CACERT_BADFILE:
            return HTTPFailure(
                .invalidRequest, cause: "cannot read the certificates of the authorities",
                remedy: "check the file, or install ca-certificates")
        case CURLE_SSL_CONNECT_ERROR:
            return failure(
                .unreachable, "no TLS connection", "check the port, and that the server has TLS 1.2 or newer")
        case CURLE_PROXY: return failure(.unreachable, "the proxy failed", "check the proxy", at: proxyHost)
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            return mayHaveReachedServer
                ? failure(.connectionLost, "connection lost before the end of the answer")
                : failure(.unreachable, "connection lost before the request", at: proxyHost)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
            return failure(.other, "the answer is not HTTP", "check the address")
        default: return failure(.other, "request failed: \(String(cString: curl_easy_strerror(code)))")
        }
    }

    /// The codes are those of OpenSSL, x509_vfy.h. libcurl itself compares the name, if the chain is valid: 0, or 1
    /// until version 8.
    private func certificateFailure(
        _ failure: (HTTPFailure.Kind, String, String, String?) -> HTTPFailure
    ) -> HTTPFailure {
        let (cause, remedy) =
            switch verification {
            case 0, 1, 62: ("its certificate is for another name", "check the address")
            case 9: ("its certificate is not valid yet", "check the clock of this machine")
            case 10:
                (
                    "its certificate has expired",
                    "check the clock of this machine, or tell the server's operator"
                )
            case 18, 19, 20, 21:
                (
                    "its certificate is not signed by an authority that is trusted here",
                    "check the address and the file of authorities"
                )
            default: ("its certificate is invalid (OpenSSL: \(verification))", "tell the server's operator")
            }
        return failure(.certificateRefused, cause, remedy, nil)
    }

    /// `10 s`, or `250 ms`.
    private static func text(_ duration: Duration) -> String {
        let milliseconds = Int(duration / .milliseconds(1))
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}

extension HTTPFailure {
    static func privateAddress(_ host: String) -> HTTPFailure {
        HTTPFailure(
            .addressNotAllowed, host: host, cause: "its address is not of the public internet",
            remedy: "use a public server, or permit private addresses")
    }
}
